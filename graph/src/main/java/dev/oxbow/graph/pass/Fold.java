package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Evaluation;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeInference;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.SumOfProducts;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Replaces pure ops of constants by their value, and ops whose value follows from input shapes (Shape, Rank) where
 * those are known. A folded constant keeps the control edges of what it replaced, so that it dies with a dead branch.
 */
public final class Fold {

    /** Larger results are left to run time: a graph should not grow by megabytes. */
    private static final long MOST_ELEMENTS = 1 << 18;
    /** The same for results that are larger than what they are made of, which is cheaper to read and to spread again. */
    private static final long MOST_SPREAD = 1 << 14;
    /** Ops whose work may be more than a pass over their elements are left to run time from this many elements on. */
    private static final long MOST_UNLESS_LINEAR = 1 << 14;
    /** Multiplications, or the like, of products and convolutions. */
    private static final double MOST_WORK = 1 << 27;

    /** Control edges that a constant may inherit: along a chain they would add up. */
    private static final int MOST_CONTROLS = 64;

    private static final Set<String> MOVES = Set.of(
            "BroadcastTo",
            "Cast",
            "Concat",
            "ConcatV2",
            "Gather",
            "GatherV2",
            "MirrorPad",
            "Pack",
            "Pad",
            "PadV2",
            "ReverseV2",
            "Slice",
            "Split",
            "SplitV",
            "StridedSlice",
            "Tile",
            "Transpose",
            "Unpack");

    private Fold() {}

    public static Subgraph run(Subgraph s) {
        Graph from = s.graph();
        Rewriter w = new Rewriter(from, new Graph(from.functions()));
        Set<Node> roots = new java.util.HashSet<>(s.roots());
        for (Node n : from.nodes()) {
            List<Tensor> values = roots.contains(n) ? null : value(n, w);
            List<Node> controls = values == null ? null : controls(n, w);
            if (values == null || controls.size() > MOST_CONTROLS + n.controls().size()) {
                w.copy(n);
                continue;
            }
            Edge[] outputs = new Edge[values.size()];
            Node first = null;
            for (int i = 0; i < outputs.length; i++) {
                String name = i == 0 ? n.name() : w.out().unique(n.name() + "/folded_" + i);
                Node c = w.out()
                        .derive(
                                n,
                                new NodeSpec(
                                        name, new Const(values.get(i)), List.of(), controls, n.device(), n.extras()));
                if (first == null) first = c;
                outputs[i] = c.edge(0);
            }
            w.replace(n, outputs, first);
        }
        w.connectBack();
        return new Subgraph(w.out(), s.roots().stream().map(w::node).toList());
    }

    private static List<Tensor> value(Node n, Rewriter w) {
        if (n.outputCount() == 0 || n.op().effects() != Effects.NONE || n.op().waits()) return null;
        boolean identity = n.op() instanceof Identity;
        if (n.op() instanceof CoreOp && !identity) return null;
        for (TensorType t : n.outputs())
            if (t.isRef() || t.dtype() == DType.RESOURCE || t.dtype() == DType.VARIANT) return null;
        List<Tensor> inputs = new ArrayList<>();
        for (Edge e : w.inputs(n)) {
            if (e == null) return null;
            inputs.add(e.node().op() instanceof Const c ? c.value() : null);
        }
        if (identity) return inputs.get(0) == null || n.input(0).type().isRef() ? null : inputs;
        try {
            List<Tensor> known = n.op().constants(new Types(n, inputs));
            if (known != null) return known;
            if (inputs.isEmpty() || inputs.contains(null)) return null;
            long given = 0;
            for (Tensor t : inputs) {
                if (t.size() > 4 * MOST_ELEMENTS) return null;
                given += t.size();
            }
            if (given > MOST_UNLESS_LINEAR && !isLinear(n)) return null;
            long most = Math.min(MOST_ELEMENTS, Math.max(MOST_SPREAD, given));
            return Evaluation.runWithin(n.op(), n.name(), inputs, most, MOST_WORK);
        } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
            return null; // it will fail again, with its name, when it runs
        }
    }

    /** Whether an op does little more than to look at each element once, or says itself how much it does. */
    private static boolean isLinear(Node n) {
        return n.op() instanceof Elementwise
                || n.op() instanceof Reducing
                || n.op() instanceof SumOfProducts
                || n.op().view() >= 0
                || MOVES.contains(n.op().signature().name());
    }

    /** The control inputs of the node and of its constant inputs; an input that is no constant becomes one. */
    private static List<Node> controls(Node n, Rewriter w) {
        var all = new LinkedHashSet<>(w.controls(n));
        for (Edge e : w.inputs(n)) {
            if (e.node().op() instanceof Const) all.addAll(e.node().controls());
            else all.add(e.node());
        }
        return List.copyOf(all);
    }

    /** Input types, and values where the input is a constant. */
    record Types(Node node, List<Tensor> values) implements NodeInference {

        @Override
        public TensorType input(int i) {
            return node.input(i).type().deref();
        }

        @Override
        public Tensor constant(int i) {
            return values.get(i);
        }
    }
}
