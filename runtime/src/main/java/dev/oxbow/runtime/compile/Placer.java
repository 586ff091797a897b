package dev.oxbow.runtime.compile;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.RefEnter;
import dev.oxbow.graph.core.RefExit;
import dev.oxbow.graph.core.RefMerge;
import dev.oxbow.graph.core.RefNextIteration;
import dev.oxbow.graph.core.RefSwitch;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.runtime.DeviceName;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives every node one device: nodes that must share one (references, handles, colocation wishes) are joined first,
 * then each group takes the first device that has kernels for all of it and fits its wishes, those of special devices
 * before those of CPUs. Stateful nodes without a wish go to the first device and never move.
 */
public final class Placer {

    /** Whether a device has a kernel for an op. */
    @FunctionalInterface
    public interface Support {
        boolean has(DeviceSpec device, Op op);
    }

    private final List<DeviceSpec> devices;
    private final Map<String, DeviceName> names = new HashMap<>();
    private final Support support;
    private final SessionOptions options;

    Placer(List<DeviceSpec> devices, Support support, SessionOptions options) {
        this.devices = new ArrayList<>(devices);
        this.devices.sort((a, b) -> Boolean.compare(isCpu(a), isCpu(b)));
        this.support = support;
        this.options = options;
    }

    private static boolean isCpu(DeviceSpec d) {
        return d.type().equals("CPU");
    }

    /** The device of each node, by node id. */
    DeviceSpec[] place(Subgraph s) {
        return place(s, Map.of());
    }

    /** As above; nodes with these names, and what must share their devices, are where these say. */
    DeviceSpec[] place(Subgraph s, Map<String, DeviceSpec> anchors) {
        List<Node> nodes = s.graph().nodes();
        DeviceSpec[] placed = new DeviceSpec[nodes.size()];
        if (devices.size() == 1 && nodes.stream().allMatch(n -> n.device().isEmpty())) {
            Arrays.fill(placed, devices.getFirst());
            return placed;
        }
        for (List<Node> members : groups(s.graph(), nodes)) {
            DeviceSpec d = anchored(members, anchors);
            if (d == null) d = choose(members);
            for (Node n : members) placed[n.id()] = d;
        }
        moveSources(nodes, placed);
        return placed;
    }

    private static Collection<List<Node>> groups(Graph graph, List<Node> nodes) {
        int[] group = new int[nodes.size()];
        for (int i = 0; i < group.length; i++) group[i] = i;
        Map<String, Integer> classes = new HashMap<>();
        for (Node n : nodes) {
            for (Edge e : n.inputs())
                if (e != null && mustShare(n, e)) join(group, n.id(), e.node().id());
            for (String c : n.colocations()) {
                if (graph.has(c) && graph.node(c).id() < group.length)
                    join(group, n.id(), graph.node(c).id());
                else if (classes.putIfAbsent(c, n.id()) != null) join(group, n.id(), classes.get(c));
            }
        }
        Map<Integer, List<Node>> groups = new HashMap<>();
        for (Node n : nodes)
            groups.computeIfAbsent(find(group, n.id()), k -> new ArrayList<>()).add(n);
        return groups.values();
    }

    private static DeviceSpec anchored(List<Node> members, Map<String, DeviceSpec> anchors) {
        if (anchors.isEmpty()) return null;
        for (Node n : members) if (anchors.containsKey(n.name())) return anchors.get(n.name());
        return null;
    }

    /** Where variables, queues and tables of a whole graph are, by name of their nodes. */
    Map<String, DeviceSpec> anchors(Graph whole) {
        Map<String, DeviceSpec> all = new HashMap<>();
        if (devices.size() == 1) return all;
        for (List<Node> members : groups(whole, whole.nodes())) {
            List<Node> held = members.stream().filter(Placer::isHeld).toList();
            if (held.isEmpty()) continue;
            try {
                DeviceSpec d = choose(members);
                for (Node n : held) all.put(n.name(), d);
            } catch (OxbowException e) {
                continue; // the runs that need all of it are told
            }
        }
        return all;
    }

    /** Whether a node stands for what outlives a run. */
    private static boolean isHeld(Node n) {
        if (n.inputCount() > 0 || n.outputCount() == 0) return false;
        return n.output(0).isRef() || n.output(0).dtype() == DType.RESOURCE;
    }

    /** Has arguments and constants that wish for nothing lie where they are read, if that is one place: then they need not travel. */
    private void moveSources(List<Node> nodes, DeviceSpec[] placed) {
        boolean[] fixed = new boolean[placed.length];
        DeviceSpec[] readers = new DeviceSpec[placed.length];
        for (Node n : nodes) {
            fixed[n.id()] |= !(n.op() instanceof Arg || n.op() instanceof Const)
                    || !n.device().isEmpty()
                    || !n.colocations().isEmpty();
            for (Edge e : n.inputs()) {
                int id = e.node().id();
                fixed[id] |= mustShare(n, e) || readers[id] != null && readers[id] != placed[n.id()];
                readers[id] = placed[n.id()];
            }
            for (Node c : n.controls()) fixed[c.id()] = true;
        }
        for (Node n : nodes) {
            DeviceSpec d = readers[n.id()];
            if (!fixed[n.id()] && d != null && support.has(d, n.op())) placed[n.id()] = d;
        }
    }

    /** References and handles do not leave their device, nor do the control nodes of one loop variable part. */
    private static boolean mustShare(Node n, Edge e) {
        DType d = e.type().dtype();
        if (e.type().isRef() || d == DType.RESOURCE || d == DType.VARIANT) return true;
        return switch (n.op()) {
            case Merge m -> e.node().op() instanceof NextIteration || e.node().op() instanceof Enter;
            case Retval r -> true;
            case RefMerge m -> true;
            case RefSwitch m -> true;
            case RefEnter m -> true;
            case RefExit m -> true;
            case RefNextIteration m -> true;
            default -> false;
        };
    }

    private DeviceSpec choose(List<Node> members) {
        List<DeviceSpec> able = devices.stream()
                .filter(d -> members.stream().allMatch(n -> isAble(d, n)))
                .toList();
        List<DeviceSpec> fit = able;
        Node wisher = null;
        boolean stateful = false;
        for (Node n : members) {
            stateful |= n.op().effects() != Effects.NONE;
            if (n.device().isEmpty()) continue;
            DeviceName wish = name(n.device());
            List<DeviceSpec> left =
                    fit.stream().filter(d -> wish.matches(name(d.name()))).toList();
            if (left.isEmpty() && options.softPlacement()) continue;
            if (left.isEmpty()) throw clash(n, wisher, able);
            fit = left;
            wisher = n;
        }
        if (fit.isEmpty()) throw clash(members.getFirst(), null, able);
        if (stateful || wisher != null) return fit.getFirst();
        int chosen = options.placement().device(members.getFirst().name(), fit.size());
        return fit.get(Math.floorMod(chosen, fit.size()));
    }

    /** What only hands values on needs no kernel of a device that it wishes for. */
    private boolean isAble(DeviceSpec d, Node n) {
        if (n.op() instanceof Retval || support.has(d, n.op())) return true;
        return n.op() instanceof CoreOp
                && !n.device().isEmpty()
                && name(n.device()).matches(name(d.name()));
    }

    private DeviceName name(String text) {
        return names.computeIfAbsent(text, DeviceName::parse);
    }

    private OxbowException clash(Node n, Node other, List<DeviceSpec> able) {
        String all = String.join(", ", devices.stream().map(DeviceSpec::name).toList());
        String with = other == null
                ? ""
                : " together with '%s' for %s, whose device it must share".formatted(other.device(), other.name());
        String kernels = able.size() == devices.size()
                ? ""
                : "; of those, " + able.stream().map(DeviceSpec::name).toList()
                        + " have kernels for all that must share it";
        return new OxbowException(
                INVALID_ARGUMENT,
                "Cannot assign a device for operation %s: it wishes '%s'%s, and the devices are %s%s"
                        .formatted(n.name(), n.device(), with, all, kernels));
    }

    private static int find(int[] group, int i) {
        while (group[i] != i) {
            group[i] = group[group[i]];
            i = group[i];
        }
        return i;
    }

    private static void join(int[] group, int a, int b) {
        int x = find(group, a), y = find(group, b);
        if (x < y) group[y] = x;
        else group[x] = y;
    }
}
