package dev.oxbow.cuda;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Split;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.nn.BiasAddGrad;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/** Makes one product of those that give queries, keys and values of attention, which reads them, and puts their gradients, side by side. */
final class JoinedHeads implements Rewrite {

    /*
     * Three products of the same rows read them three times, and their gradients are summed by a kernel of its own, in f32 where the
     * stream between layers is. One product has the sum in its accumulators, and one weight gradient and one sum for the biases do
     * for three. Weights that are parts of one are that one; others are put side by side, which is small beside the rows.
     */

    private static final int PARTS = 3;

    /** The bytes that attention wants beside its results; -1 for what there is no plan for. */
    private final ToLongFunction<AttentionPlan> room;

    JoinedHeads(ToLongFunction<AttentionPlan> room) {
        this.room = room;
    }

    @Override
    public String name() {
        return "heads";
    }

    @Override
    public String purpose() {
        return "multiply once for queries, keys and values";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Map<Node, Work> at = new HashMap<>();
        for (HeadsMatch m : HeadsMatch.all(s)) {
            TensorType all = type(m);
            AttentionPlan back = AttentionPlan.of(true, all, all, causal(m));
            if (room.applyAsLong(AttentionPlan.of(false, all, all, causal(m))) < 0) continue;
            long bytes = m.gradient == null ? 0 : room.applyAsLong(back);
            if (bytes < 0) continue;
            boolean known = m.attention.input(0).type().shape().isFullyKnown();
            Work work = new Work(m, known ? bytes : 0);
            Set<Node> nodes = work.nodes();
            if (nodes.stream().anyMatch(at::containsKey)) continue; // two layers of the same rows have one sum
            nodes.forEach(n -> at.put(n, work));
        }
        if (at.isEmpty()) return s;
        return Rewriter.each(s, (w, n) -> {
            Work work = at.get(n);
            if (work != null) work.step(w, n);
            else if (!isUndone(w, n)) w.copy(n);
        });
    }

    private static boolean causal(HeadsMatch m) {
        return ((Attention) m.attention.op()).causal();
    }

    /** All heads in one; a batch that is not known stands for any. */
    private static TensorType type(HeadsMatch m) {
        TensorType one = m.attention.input(0).type();
        Shape s = one.shape();
        return one.withShape(Shape.of(Math.max(1, s.dim(0)), s.dim(1), PARTS, s.dim(2), s.dim(3)));
    }

    private static Edge constant(Rewriter w, Node n, String suffix, Tensor t) {
        return w.add(n, suffix, new Const(t), List.of(), List.of()).edge(0);
    }

    private static Tensor axis(int axis) {
        return Tensor.of(Shape.SCALAR, axis);
    }

    /** Puts what was split, and is joined again, in the place of the joined one. */
    private static boolean isUndone(Rewriter w, Node n) {
        if (!(n.op() instanceof ConcatV2)) return false;
        int parts = n.inputCount() - 1;
        Node split = w.edge(n.input(0)) == null ? null : w.edge(n.input(0)).node();
        if (split == null || !(split.op() instanceof Split s) || s.numSplit() != parts) return false;
        for (int i = 0; i < parts; i++) if (!split.edge(i).equals(w.edge(n.input(i)))) return false;
        int rank = n.output(0).shape().rank();
        if (axis(split.input(0), rank) < 0 || axis(split.input(0), rank) != axis(n.input(parts), rank)) return false;
        w.replace(n, List.of(split.input(1)), split.input(1).node());
        return true;
    }

    /** An axis where it is known; else -1. */
    private static long axis(Edge e, int rank) {
        if (!(e.node().op() instanceof Const c)) return -1;
        long a = c.value().getLong(0);
        return a < 0 ? a + rank : a;
    }

    private static final class Work {
        private final HeadsMatch match;
        private final long workspace;
        private Edge weight;
        private Edge heads;
        private Edge grown;
        private Node ofWeight;
        private Node ofBias;
        private Edge ofRows;

        Work(HeadsMatch match, long workspace) {
            this.match = match;
            this.workspace = workspace;
        }

        Set<Node> nodes() {
            Set<Node> all = new HashSet<>(match.products);
            for (List<Node> more :
                    List.of(match.heads, match.back, match.ofBiases, match.ofWeights, match.ofRows, match.casts))
                all.addAll(more);
            all.add(match.attention);
            if (match.gradient != null) all.add(match.gradient);
            if (match.sum != null) all.add(match.sum);
            return all;
        }

        /** What comes in the place of a node; nothing for those that others stand for. */
        void step(Rewriter w, Node n) {
            if (n == match.attention) attend(w, n);
            else if (n == match.gradient) goBack(w, n);
            else if (match.ofWeights.contains(n))
                w.replace(n, List.of(weights(w, n).edge(match.ofWeights.indexOf(n))), ofWeight);
            else if (match.ofBiases.contains(n))
                w.replace(n, List.of(biases(w, n).edge(match.ofBiases.indexOf(n))), ofBias);
            else if (match.ofRows.contains(n)) rows(w, n);
            else if (n == match.sum) sum(w, n);
        }

        private void attend(Rewriter w, Node n) {
            weight = joined(w, n, match.inputs(1), 1, "/weights");
            Edge x = w.edge(match.rows());
            List<Node> before = w.controls(match.products.toArray(Node[]::new));
            Node all = match.hasBias()
                    ? w.add(
                            n,
                            "/product",
                            new Linear(false, false, false),
                            List.of(x, weight, joined(w, n, match.inputs(2), 0, "/biases")),
                            before)
                    : w.add(n, "/product", new MatMul(false, false), List.of(x, weight), before);
            Shape s = n.input(0).type().shape();
            Tensor shape = Tensor.of(Shape.of(5), new long[] {s.dim(0), s.dim(1), PARTS, s.dim(2), s.dim(3)});
            heads = w.add(n, "/heads", new Reshape(), List.of(all.edge(0), constant(w, n, "/shape", shape)), List.of())
                    .edge(0);
            w.replace(n, n.op(), List.of(heads), w.controls(n));
        }

        private void goBack(Rewriter w, Node n) {
            AttentionGrad g = (AttentionGrad) n.op();
            List<Edge> inputs =
                    List.of(heads, w.edge(n.input(PARTS)), w.edge(n.input(PARTS + 1)), w.edge(n.input(PARTS + 2)));
            Node all = w.add(n, "/joined", new AttentionGrad(g.scale(), g.causal(), workspace), inputs, w.controls(n));
            Shape s = n.input(0).type().shape();
            Tensor shape = Tensor.of(Shape.of(2), new long[] {-1, PARTS * s.dim(2) * s.dim(3)});
            grown = w.add(n, "/rows", new Reshape(), List.of(all.edge(0), constant(w, n, "/shape", shape)), List.of())
                    .edge(0);
        }

        private Node parts(Rewriter w, Node n, Edge all, int axis) {
            Edge along = constant(w, n, "/axis", axis(axis));
            return w.add(n, "/parts", new Split(PARTS), List.of(along, all), List.of());
        }

        private Node weights(Rewriter w, Node n) {
            if (ofWeight != null) return ofWeight;
            MatMul m = (MatMul) n.op();
            Edge all = w.add(n, "/joined", m, List.of(w.edge(match.rows()), grown), controls(w, match.ofWeights))
                    .edge(0);
            return ofWeight = parts(w, n, all, 1);
        }

        private Node biases(Rewriter w, Node n) {
            if (ofBias != null) return ofBias;
            DType t = n.input(0).type().dtype();
            Edge from = t == grown.type().dtype()
                    ? grown
                    : w.add(n, "/wide", new Cast(t), List.of(grown), List.of()).edge(0);
            Node all = w.add(n, "/joined", new BiasAddGrad("NHWC"), List.of(from), controls(w, match.ofBiases));
            return ofBias = parts(w, n, all.edge(0), 0);
        }

        private static List<Node> controls(Rewriter w, List<Node> of) {
            return w.controls(of.toArray(Node[]::new));
        }

        private void rows(Rewriter w, Node n) {
            if (ofRows != null) return;
            Node all = w.add(n, "/joined", new MatMul(false, true), List.of(grown, weight), controls(w, match.ofRows));
            ofRows = all.edge(0);
            if (!match.isWide) return;
            DType t = match.sum.output(0).dtype();
            ofRows = w.add(n, "/wide", new Cast(t), List.of(ofRows), List.of()).edge(0);
        }

        private void sum(Rewriter w, Node n) {
            List<Edge> left = new ArrayList<>(List.of(ofRows));
            for (Edge e : n.inputs()) {
                Node from = match.isWide && match.casts.contains(e.node())
                        ? e.node().input(0).node()
                        : e.node();
                if (!match.ofRows.contains(from)) left.add(w.edge(e));
            }
            if (left.size() == 1) w.replace(n, left, ofRows.node());
            else w.replace(n, new AddN(), left, w.controls(n));
        }

        /** Edges side by side: what they are parts of, if in another dtype, or a new value. */
        private static Edge joined(Rewriter w, Node n, List<Edge> all, int axis, String suffix) {
            DType t = all.getFirst().type().dtype();
            List<Edge> from = new ArrayList<>();
            for (Edge e : all) from.add(e.node().op() instanceof Cast ? e.node().input(0) : e);
            Node split = from.getFirst().node();
            boolean whole =
                    split.op() instanceof Split s && s.numSplit() == PARTS && axis(split.input(0), axis + 1) == axis;
            for (int i = 0; i < PARTS && whole; i++) whole = from.get(i).equals(split.edge(i));
            if (whole) {
                Edge one = w.edge(split.input(1));
                if (one.type().dtype() == t) return one;
                return w.add(n, suffix, new Cast(t), List.of(one), List.of()).edge(0);
            }
            List<Edge> parts = new ArrayList<>();
            for (Edge e : all) parts.add(w.edge(e));
            parts.add(constant(w, n, suffix + "/axis", axis(axis)));
            Op side = new ConcatV2();
            return w.add(n, suffix, side, parts, List.of()).edge(0);
        }
    }
}
