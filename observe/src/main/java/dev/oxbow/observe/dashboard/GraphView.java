package dev.oxbow.observe.dashboard;

import com.google.gson.stream.JsonWriter;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.observe.diagnosis.Timeline;
import dev.oxbow.observe.run.Place;
import dev.oxbow.observe.run.Run;
import dev.oxbow.wire.proto.Event;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is in one scope of a graph: its nodes and scopes, edges between them, where they run and what they cost. */
final class GraphView {
    private static final int MOST = 400;

    private String cached = "";
    private List<Item> items = List.of();
    private int constants;

    /** A node, reduced to what is shown. */
    private record Item(String name, String op, String device, List<String> inputs) {}

    /** A node or a scope that is seen. */
    private static final class Box {
        final String name;
        final TreeSet<String> devices = new TreeSet<>();
        String op = "";
        int nodes;
        double millis;
        String origin = "";

        Box(String name) {
            this.name = name;
        }
    }

    void write(JsonWriter out, Run run, String scope) throws IOException {
        Map<String, Box> boxes = new LinkedHashMap<>();
        Map<List<String>, Integer> edges =
                new TreeMap<>(Comparator.comparing((List<String> e) -> e.get(0)).thenComparing(e -> e.get(1)));
        List<Item> all = items(run);
        Map<String, double[]> costs = new HashMap<>();
        Map<String, String> origins = new HashMap<>(), devices = new HashMap<>();
        costs(run, costs, origins, devices);
        String prefix = scope.isEmpty() ? "" : scope + "/";
        double elsewhere = costs.values().stream().mapToDouble(c -> c[0]).sum();
        for (Item i : all) {
            elsewhere -= costs.getOrDefault(i.name, new double[1])[0];
            String child = child(i.name, scope, prefix);
            if (child == null) continue;
            Box b = boxes.computeIfAbsent(child, Box::new);
            b.nodes++;
            b.op = b.nodes == 1 ? i.op : "";
            String device = devices.getOrDefault(i.name, i.device);
            if (!device.isEmpty()) b.devices.add(device);
            b.millis += costs.getOrDefault(i.name, new double[1])[0];
            if (b.origin.isEmpty()) b.origin = origins.getOrDefault(i.name, "");
        }
        for (Item i : all) {
            String to = child(i.name, scope, prefix);
            if (to == null) continue;
            for (String input : i.inputs) {
                String from = child(input, scope, prefix);
                if (from != null && !from.equals(to)) edges.merge(List.of(from, to), 1, Integer::sum);
            }
        }
        out.beginObject().name("scope").value(scope).name("nodes").value(all.size() + constants);
        out.name("constants").value(constants).name("elsewhere").value(Math.max(0, elsewhere));
        write(out, shown(boxes), edges);
        out.endObject();
    }

    private static List<Box> shown(Map<String, Box> boxes) {
        if (boxes.size() <= MOST) return new ArrayList<>(boxes.values());
        return boxes.values().stream()
                .sorted(Comparator.comparingDouble((Box b) -> -b.millis).thenComparing(b -> -b.nodes))
                .limit(MOST)
                .toList();
    }

    private static void write(JsonWriter out, List<Box> shown, Map<List<String>, Integer> edges) throws IOException {
        out.name("boxes").beginArray();
        TreeSet<String> known = new TreeSet<>();
        for (Box b : shown) {
            known.add(b.name);
            out.beginObject().name("name").value(b.name).name("op").value(b.op);
            out.name("nodes")
                    .value(b.nodes)
                    .name("millis")
                    .value(b.millis)
                    .name("origin")
                    .value(b.origin);
            out.name("devices").beginArray();
            for (String d : b.devices.stream().limit(8).toList()) out.value(d);
            out.endArray().endObject();
        }
        out.endArray().name("edges").beginArray();
        for (var e : edges.entrySet()) {
            if (!known.contains(e.getKey().get(0)) || !known.contains(e.getKey().get(1))) continue;
            out.beginArray()
                    .value(e.getKey().get(0))
                    .value(e.getKey().get(1))
                    .value(e.getValue())
                    .endArray();
        }
        out.endArray();
    }

    /** What is seen of a node from a scope: itself, the scope below in which it is, or null where it is elsewhere. */
    private static String child(String node, String scope, String prefix) {
        if (!node.startsWith(prefix) || node.length() == prefix.length()) return null;
        int slash = node.indexOf('/', prefix.length());
        return slash < 0 ? node : node.substring(0, slash);
    }

    private synchronized List<Item> items(Run run) throws IOException {
        List<Place> graphs = run.first().graphs();
        if (graphs.isEmpty()) return List.of();
        Place newest = graphs.getLast();
        String key = run.name() + "@" + newest;
        if (key.equals(cached)) return items;
        Event e = run.first().record(newest);
        if (e == null) return List.of();
        try {
            List<Item> all = new ArrayList<>();
            constants = 0;
            for (NodeDef n : GraphDef.parseFrom(e.getGraphDef()).getNodeList()) {
                if (n.getOp().equals("Const")) {
                    constants++;
                    continue;
                }
                List<String> inputs = n.getInputList().stream()
                        .map(i -> i.replaceFirst("^\\^", "").replaceFirst(":\\d+$", ""))
                        .toList();
                all.add(new Item(n.getName(), n.getOp(), n.getDevice(), inputs));
            }
            items = all;
            cached = key;
            return all;
        } catch (InvalidProtocolBufferException wrong) {
            throw new Refusal(422, "the graph of this run is no message");
        }
    }

    /** Of the newest trace: milliseconds by node; what ran as one kernel counts for the first of its nodes. */
    private static void costs(
            Run run, Map<String, double[]> costs, Map<String, String> origins, Map<String, String> devices)
            throws IOException {
        long step = Timeline.newest(run);
        if (step < 0) return;
        for (Timeline.Worker w :
                Timeline.of(run, step).workers().stream().limit(1).toList()) {
            for (Timeline.Span s : w.spans()) {
                costs.computeIfAbsent(s.name(), _ -> new double[1])[0] += s.length() / 1e6;
                origins.putIfAbsent(s.name(), s.origin());
                devices.putIfAbsent(s.name(), s.device());
            }
        }
    }
}
