package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Evaluation;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeInference;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.SumOfProducts;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Replaces pure ops of constants by their value, and ops whose value follows from input shapes (Shape, Rank) where
 * those are known. A folded constant keeps the control edges of what it replaced, so that it dies with a dead branch.
 */
public final class Fold implements Rewrite {

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

    @Override
    public String name() {
        return "fold";
    }

    @Override
    public String purpose() {
        return "compute what depends on constants and known shapes only";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Set<Node> roots = new HashSet<>(s.roots());
        return Rewriter.each(s, (w, n) -> {
            List<Tensor> values = roots.contains(n) ? null : value(n, w);
            List<Node> controls = values == null ? null : controls(n, w);
            if (values == null || controls.size() > MOST_CONTROLS + n.controls().size()) {
                w.copy(n);
                return;
            }
            Node first = w.replace(n, new Const(values.getFirst()), List.of(), controls);
            if (values.size() == 1) return;
            List<Edge> outputs = new ArrayList<>(List.of(first.edge(0)));
            for (int i = 1; i < values.size(); i++)
                outputs.add(w.add(n, "/folded_" + i, new Const(values.get(i)), List.of(), controls)
                        .edge(0));
            w.replace(n, outputs, first);
        });
    }

    private static List<Tensor> value(Node n, Rewriter w) {
        if (n.outputCount() == 0 || n.op().effects() != Effects.NONE || n.op().waits()) return null;
        boolean identity = n.op() instanceof Identity;
        if (n.op() instanceof CoreOp && !identity) return null;
        for (TensorType t : n.outputs()) if (t.isHandle()) return null;
        if (w.inputs(n).contains(null)) return null;
        List<Tensor> inputs = values(w.inputs(n));
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

    /** The values of constants, null for others. */
    private static List<Tensor> values(List<Edge> edges) {
        List<Tensor> values = new ArrayList<>();
        for (Edge e : edges) values.add(e.node().op() instanceof Const c ? c.value() : null);
        return values;
    }

    /** Whether an op does little more than to look at each element once, or says itself how much it does. */
    private static boolean isLinear(Node n) {
        return n.op() instanceof Elementwise
                || n.op() instanceof Reducing
                || n.op() instanceof SumOfProducts
                || n.op().view() >= 0
                || n.op() instanceof Moving;
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

        static Types of(Node n) {
            return new Types(n, Fold.values(n.inputs()));
        }

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
