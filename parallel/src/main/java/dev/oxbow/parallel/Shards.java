package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which parameter server holds a variable: the largest go first, each to the server that has least; one that would make a
 * server fuller than the others is cut by rows.
 */
final class Shards implements Homes {

    /*
     * Every worker decides for itself, so the answer must follow from the graph alone: families of variables by bytes, those
     * of the same size by the order of the graph. What is added to the graph later finds its place beside what is there.
     *
     * A family is cut where all that is done with it can be done by rows, and only where it would go over an even share of
     * the bytes by more than a few in a hundred: a cut costs a message, and a copy where the rows come together.
     */

    /** Rows of a variable on a server. */
    record Slice(int server, long from, long count) {}

    /** How much of an even share a server may have above it before something is cut. */
    private static final double SLACK = 0.04;

    private final List<String> servers;
    private final Families families = new Families();
    private final Map<String, Integer> homes = new HashMap<>();
    /** The families of which servers have rows. */
    private final Map<String, List<Slice>> cuts = new HashMap<>();
    /** Variables that must not be cut. */
    private final Set<String> whole = new HashSet<>();

    private final long[] bytes;
    private int seen;

    /** On servers by the names of their devices. */
    Shards(List<String> servers) {
        this.servers = List.copyOf(servers);
        this.bytes = new long[servers.size()];
    }

    @Override
    public synchronized void learn(Graph graph) {
        Map<String, Long> sizes = new LinkedHashMap<>();
        Map<String, Node> members = new HashMap<>();
        Set<String> counted = new HashSet<>(), atomic = new HashSet<>();
        List<Node> handles = families.learn(graph);
        for (; seen < graph.size(); seen++) look(graph.node(seen));
        for (Node h : handles) {
            String family = families.of(h);
            if (!counted.add(Families.name(h))) continue;
            sizes.merge(family, size(h), Long::sum);
            if (whole.contains(Families.name(h)) || !h.device().isEmpty()) atomic.add(family);
            members.put(family, h);
        }
        long all = Arrays.stream(bytes).sum();
        for (long s : sizes.values()) all += s;
        double even = (double) all / servers.size();
        List<String> largest = new ArrayList<>(sizes.keySet());
        largest.sort((a, b) -> Long.compare(sizes.get(b), sizes.get(a))); // stable
        for (String f : largest) {
            long size = sizes.get(f);
            boolean isNew = !homes.containsKey(f) && !cuts.containsKey(f);
            boolean over = bytes[least()] + size > even * (1 + SLACK);
            if (isNew && over && !atomic.contains(f) && cut(f, members.get(f), size, even)) continue;
            bytes[homes.computeIfAbsent(f, _ -> least())] += size;
        }
    }

    /** Notes variables with which something is done that can not be done by rows. */
    private void look(Node n) {
        if (n.inputCount() == 0) return;
        boolean can = n.input(0) != null && n.input(0).node().op() instanceof VarHandleOp && Cutting.canCut(n);
        if (can) return;
        for (Edge e : n.inputs())
            if (e != null && e.node().op() instanceof VarHandleOp) whole.add(Families.name(e.node()));
    }

    /** Gives each server as many rows as it has room for; whether more than one has some. */
    private boolean cut(String family, Node member, long size, double even) {
        Shape shape = ((VarHandleOp) member.op()).shape();
        if (!shape.isFullyKnown() || shape.rank() == 0 || shape.dim(0) < 2 || size == 0) return false;
        long left = shape.dim(0);
        double row = (double) size / left;
        long[] counts = new long[bytes.length];
        for (int s = 0; s < counts.length; s++) {
            counts[s] = Math.clamp((long) ((even - bytes[s]) / row), 0, left);
            left -= counts[s];
        }
        for (; left > 0; left--) {
            int emptiest = 0;
            for (int s = 1; s < counts.length; s++)
                if (bytes[s] + counts[s] * row < bytes[emptiest] + counts[emptiest] * row) emptiest = s;
            counts[emptiest]++;
        }
        List<Slice> slices = new ArrayList<>();
        long at = 0;
        for (int s = 0; s < counts.length; s++) {
            if (counts[s] == 0) continue;
            slices.add(new Slice(s, at, counts[s]));
            at += counts[s];
        }
        if (slices.size() < 2) return false;
        for (Slice s : slices) bytes[s.server] += Math.round(row * s.count);
        cuts.put(family, slices);
        return true;
    }

    private int least() {
        int least = 0;
        for (int s = 1; s < bytes.length; s++) if (bytes[s] < bytes[least]) least = s;
        return least;
    }

    private static long size(Node handle) {
        long all = 0;
        for (TensorType t : handle.output(0).behind()) if (t.isAllocatable()) all += t.byteSize();
        return all;
    }

    /** The rows that servers have of the variable behind a handle; null where one of them has all. */
    synchronized List<Slice> slices(Node handle) {
        return servers.contains(handle.device()) ? null : cuts.get(families.of(handle));
    }

    /** The number of the server of the variable behind a handle, or of the rows that stand for it. */
    synchronized int server(Node handle) {
        if (servers.contains(handle.device())) return servers.indexOf(handle.device());
        Integer at = homes.get(families.of(handle));
        require(at != null, INTERNAL, "Shards: variable %s was not seen before", Families.name(handle));
        return at;
    }

    /** The device of a server. */
    String device(int server) {
        return servers.get(server);
    }

    @Override
    public String of(Node handle) {
        return servers.get(server(handle));
    }

    /** The bytes that each server holds. */
    synchronized long[] bytes() {
        return bytes.clone();
    }
}
