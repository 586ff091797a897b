package dev.oxbow.cuda;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.Neg;
import dev.oxbow.ops.math.Relu;
import dev.oxbow.ops.math.Square;
import dev.oxbow.ops.math.Sub;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Has elementwise values be computed again where they are read behind a product, so that they need not be written and kept. */
final class Again implements Rewrite {

    /*
     * A gradient reads what the activation was made of: squares, a tanh, half of x. Each of these would be written by the kernel
     * of the forward pass and read by that of the backward pass, though all of them follow from one value that is there
     * anyway, and arithmetic costs a card less than memory. So a value that follows elementwise from at most one value
     * of its size is made anew by a copy of its nodes for readers that can not be in its kernel: those behind another
     * product, convolution or the like. Folds of rows are no such border, since they are fused. Results have the same bits.
     *
     * A large value of a few additions and products that follows from one of no more bytes is made anew for every reader, whatever
     * is between them: readers of one kernel have it once all the same, and those of several read what it is made of
     * instead of what somebody had to write. So gradients of a normalisation read halves where they would read floats.
     */

    /** Elements below which memory costs nothing. */
    private static final long LEAST = 1 << 16;

    private static final int MOST_NODES = 24;

    /** What costs less than it takes to read a value: so many nodes, of these ops alone. */
    private static final int MOST_CHEAP = 6;

    /** Elements from which bytes count more than launches. */
    private static final long LEAST_CHEAP = 1 << 22;

    private static final Set<Class<?>> CHEAP =
            Set.of(Cast.class, AddV2.class, Sub.class, Mul.class, Neg.class, Square.class, Relu.class);

    /**
     * What a value follows from: values that lie in memory, those of its size counted, how many nodes are between, and whether
     * these are few and simple.
     */
    private record Roots(Set<Edge> leaves, int large, int nodes, boolean cheap) {}

    /** One copy for all readers of a level, or for one reader. */
    private record Key(Node node, int reader) {}

    @Override
    public String name() {
        return "again";
    }

    @Override
    public String purpose() {
        return "compute elementwise values again behind a product";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        List<Node> nodes = s.graph().nodes();
        for (Node n : nodes) for (Edge e : n.inputs()) if (e.node().id() >= n.id()) return s; // a loop
        Work work = new Work(s);
        Map<Key, Edge> made = new HashMap<>();
        return Rewriter.each(s, (w, n) -> {
            List<Edge> inputs = new ArrayList<>();
            boolean any = false;
            for (Edge e : n.inputs()) {
                boolean again = work.isAgain(e, n);
                any |= again;
                inputs.add(again ? work.copied(w, n, e, made) : w.edge(e));
            }
            if (any) w.copy(n, inputs);
            else w.copy(n);
        });
    }

    private static final class Work {
        private final int[] level;
        private final boolean[] kept;
        private final int[] readers;
        private final Map<Node, Roots> roots = new HashMap<>();

        Work(Subgraph s) {
            List<Node> nodes = s.graph().nodes();
            level = new int[s.graph().size()];
            kept = new boolean[s.graph().size()];
            readers = new int[s.graph().size()];
            Set<Node> results = new HashSet<>(s.roots());
            for (Node n : nodes) {
                int most = 0;
                for (Edge e : n.inputs()) most = Math.max(most, level[e.node().id()]);
                for (Node from :
                        new HashSet<>(n.inputs().stream().map(Edge::node).toList())) readers[from.id()]++;
                boolean border = !isLight(n) && !isFold(n) && n.inputCount() > 0;
                level[n.id()] = border ? most + 1 : most;
                kept[n.id()] |= !isLight(n) || results.contains(n);
                if (border) for (Edge e : n.inputs()) kept[e.node().id()] = true;
            }
        }

        private static boolean isLight(Node n) {
            return n.op() instanceof Elementwise e
                    && e.broadcasts()
                    && n.outputCount() == 1
                    && e.operands(n.inputCount()) == n.inputCount();
        }

        private static boolean isFold(Node n) {
            return n.op() instanceof Reducing;
        }

        private static boolean isLarge(TensorType t) {
            return t.shape().isFullyKnown() && t.shape().size() >= LEAST;
        }

        /** Whether a node should read a copy of what makes an input. */
        boolean isAgain(Edge e, Node reader) {
            Node n = e.node();
            boolean apart = isLight(reader) || isFold(reader);
            if (!apart || kept[n.id()] || !isLarge(n.output(0))) return false;
            Roots r = roots(n);
            boolean behind = level[n.id()] < level[reader.id()];
            return r.large <= 1 && r.nodes <= MOST_NODES && (behind || readers[n.id()] > 1 && isCheap(n));
        }

        /** Whether to make a value costs less than to read it. */
        private boolean isCheap(Node n) {
            Roots r = roots(n);
            for (Edge e : r.leaves)
                if (!e.type().shape().isFullyKnown()
                        || e.type().byteSize() > n.output(0).byteSize()) return false;
            return r.cheap && n.output(0).shape().size() >= LEAST_CHEAP;
        }

        /** What a node that is not kept follows from. */
        private Roots roots(Node n) {
            Roots known = roots.get(n);
            if (known != null) return known;
            Set<Edge> leaves = new LinkedHashSet<>();
            int between = 1;
            boolean cheap = CHEAP.contains(n.op().getClass());
            for (Edge e : n.inputs()) {
                if (isLeaf(e)) {
                    leaves.add(e);
                    continue;
                }
                Roots more = roots(e.node());
                leaves.addAll(more.leaves);
                between += more.nodes;
                cheap &= more.cheap;
            }
            long size = n.output(0).shape().isFullyKnown() ? n.output(0).shape().size() : 0;
            int large = 0;
            for (Edge e : leaves) if (isOf(e, size)) large++;
            Roots made = new Roots(leaves, large, between, cheap && between <= MOST_CHEAP);
            roots.put(n, made);
            return made;
        }

        /** Whether an input is read as it is: it lies in memory, or may as well. */
        private boolean isLeaf(Edge e) {
            Node n = e.node();
            if (kept[n.id()] || !isLarge(n.output(0))) return true;
            Roots r = roots(n);
            return r.large > 1 || r.nodes > MOST_NODES;
        }

        private static boolean isOf(Edge e, long size) {
            if (e.node().op() instanceof Const) return false;
            return !e.type().shape().isFullyKnown() || 2 * e.type().shape().size() >= size;
        }

        /** A copy of what makes an edge: one for all readers of a level, or where it is cheap one for each of them. */
        Edge copied(Rewriter w, Node reader, Edge e, Map<Key, Edge> made) {
            Node n = e.node();
            Key key = new Key(n, isCheap(n) ? -1 - reader.id() : level[reader.id()]);
            Edge known = made.get(key);
            if (known != null) return known;
            List<Edge> inputs = new ArrayList<>();
            for (Edge in : n.inputs()) inputs.add(isLeaf(in) ? w.edge(in) : copied(w, reader, in, made));
            Edge copy = w.add(n, "/again", n.op(), inputs, List.of()).edge(0);
            made.put(key, copy);
            return copy;
        }
    }
}
