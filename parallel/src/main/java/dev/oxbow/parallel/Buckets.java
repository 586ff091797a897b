package dev.oxbow.parallel;

import dev.oxbow.collective.WireFormat;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Partial values that become whole together: each bucket is one exchange. */
final class Buckets {

    /*
     * A value that no other exchange waits for may travel with any other such value: those are taken in the order in which
     * they are made, until a bucket is full, so that the first leaves while the others are still computed. Values on which
     * other exchanges depend (statistics of batch normalisation) travel at once, with those of the same depth: the depth
     * is the number of exchanges in front of a value, so that none of a depth waits for another. What is made in a loop or
     * a branch travels alone.
     *
     * How large a bucket is by default: the last one can not hide behind compute, so small is good, until a message costs more by itself
     * than its bytes do. ResNet-50 on 2 hosts at 1 Gbit/s with 1.2 s of compute, 1.4 times the exchange, left 0.40, 0.26, 0.11 and 0.19 of
     * the exchange exposed with buckets of 32, 16, 8 and 4 MB.
     */

    /**
     * One exchange.
     *
     * @param coded whether it may travel in the plan's wire format
     * @param alone whether it is in a loop or a branch
     * @param pushed whether helpers have a share of the sum, but not all of it
     */
    record Bucket(int number, List<Edge> members, String reduction, boolean coded, boolean alone, boolean pushed) {
        /** With some of the members. */
        Bucket of(List<Edge> some) {
            return new Bucket(number, some, reduction, coded, alone, pushed);
        }

        /** The last node that it waits for. */
        int last() {
            return members.stream().mapToInt(e -> e.node().id()).max().orElseThrow();
        }

        long bytes() {
            return members.stream().mapToLong(e -> Buckets.bytes(e)).sum();
        }

        DType dtype() {
            return members.getFirst().type().dtype();
        }
    }

    /** What must be alike in a bucket; {@code depth} is -1 where no other exchange waits for it. */
    private record Kind(DType dtype, String reduction, int depth, boolean coded, boolean pushed) {}

    /** Values smaller than this travel as they are, and to all. */
    private static final long LEAST_CODED = 4096;

    private final Subgraph graph;
    private final Layouts layouts;
    private final Plan plan;
    private final List<Bucket> all = new ArrayList<>();
    private final Map<Edge, Bucket> byEdge = new HashMap<>();
    private final int[] depth;
    private final boolean[] leads;
    private final boolean[] inside;

    Buckets(Subgraph graph, Layouts layouts, Plan plan) {
        this.graph = graph;
        this.layouts = layouts;
        this.plan = plan;
        int size = graph.graph().size();
        depth = new int[size];
        leads = new boolean[size];
        inside = new boolean[size];
        mark();
        fill();
    }

    List<Bucket> all() {
        return all;
    }

    /** The exchange that makes an edge whole; null where it is not partial, or nobody wants it whole. */
    Bucket of(Edge e) {
        return byEdge.get(e);
    }

    /** Whether other exchanges wait for what an edge becomes. */
    boolean isWaited(Edge e) {
        for (Node n : graph.graph().nodes()) if (leads[n.id()] && n.inputs().contains(e)) return true;
        return false;
    }

    /** Whether a node is in a loop or a branch. */
    boolean isInside(Node n) {
        return inside[n.id()];
    }

    private boolean isExchanged(Edge e) {
        return layouts.isEarly(e);
    }

    private void mark() {
        List<Node> nodes = graph.graph().nodes();
        Frames frames = new Frames(graph.graph());
        int[] branches = new int[nodes.size()];
        for (Node n : nodes) {
            int most = 0, deep = 0;
            for (Edge e : n.inputs()) {
                if (e.node().id() >= n.id()) continue;
                most = Math.max(most, branches[e.node().id()]);
                deep = Math.max(deep, depth[e.node().id()] + (isExchanged(e) ? 1 : 0));
            }
            for (Node c : n.controls()) {
                most = Math.max(most, branches[c.id()]);
                deep = Math.max(deep, depth[c.id()]);
            }
            boolean loops = Frames.isLoopMerge(n);
            if (Frames.isSwitch(n.op())) most++;
            else if (Frames.isMerge(n.op()) && !loops || Frames.isExit(n.op())) most = Math.max(0, most - 1);
            branches[n.id()] = most;
            depth[n.id()] = deep;
            inside[n.id()] = most > 0 || frames.ofOutputs(n).parent() != null;
        }
        for (Node n : nodes.reversed()) {
            for (int p = 0; p < n.outputCount(); p++) leads[n.id()] |= isExchanged(n.edge(p));
            if (!leads[n.id()]) continue;
            for (Node c : n.controls()) leads[c.id()] = true;
            for (Edge e : n.inputs()) if (e.node().id() < n.id()) leads[e.node().id()] = true;
        }
    }

    private void fill() {
        Map<Edge, Boolean> waited = waited();
        Map<Kind, List<Edge>> open = new LinkedHashMap<>();
        for (Node n : graph.graph().nodes()) {
            for (int p = 0; p < n.outputCount(); p++) {
                Edge e = n.edge(p);
                if (!isExchanged(e)) continue;
                String reduction = ((Layout.Partial) layouts.made(e)).reduction();
                if (inside[n.id()] || !e.type().isAllocatable() || plan.reducesToOwners()) {
                    close(List.of(e), reduction, false, inside[n.id()], false);
                    continue;
                }
                boolean isWaited = waited.getOrDefault(e, false);
                boolean coded = !isWaited && isCoded(e.type());
                boolean pushed = plan.helpers() > 0 && !isWaited && bytes(e) >= LEAST_CODED;
                int level = isWaited ? depth[n.id()] : -1;
                Kind kind = new Kind(e.type().dtype(), reduction, level, coded && isCoding(), pushed);
                List<Edge> bucket = open.computeIfAbsent(kind, _ -> new ArrayList<>());
                bucket.add(e);
                if (bucket.stream().mapToLong(Buckets::bytes).sum() >= plan.bucketBytes()) {
                    close(bucket, reduction, kind.coded, false, kind.pushed);
                    open.remove(kind);
                }
            }
        }
        open.forEach((kind, bucket) -> close(bucket, kind.reduction, kind.coded, false, kind.pushed));
    }

    /** Whether helpers take part in a value, and a wire format is worth it. */
    static boolean isLarge(Edge e) {
        return bytes(e) >= LEAST_CODED;
    }

    /** Whether gradients of a type travel in the plan's wire format. */
    static boolean isCoded(TensorType t) {
        return t.dtype() == DType.F32 && t.isAllocatable() && t.byteSize() >= LEAST_CODED;
    }

    private boolean isCoding() {
        return !plan.wire().equals(WireFormat.NONE);
    }

    /** For exchanged edges, whether another exchange waits for what they become. */
    private Map<Edge, Boolean> waited() {
        Map<Edge, Boolean> waited = new HashMap<>();
        for (Node n : graph.graph().nodes())
            for (Edge e : n.inputs()) if (isExchanged(e)) waited.merge(e, leads[n.id()], Boolean::logicalOr);
        return waited;
    }

    private void close(List<Edge> members, String reduction, boolean coded, boolean alone, boolean pushed) {
        Bucket b = new Bucket(all.size(), List.copyOf(members), reduction, coded, alone, pushed);
        all.add(b);
        for (Edge e : members) byEdge.put(e, b);
    }

    static long bytes(Edge e) {
        TensorType t = e.type();
        return t.isAllocatable() ? t.byteSize() : 0;
    }
}
