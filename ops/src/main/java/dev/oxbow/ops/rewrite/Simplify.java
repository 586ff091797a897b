package dev.oxbow.ops.rewrite;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Tile;
import dev.oxbow.ops.flow.PreventGradient;
import dev.oxbow.ops.flow.StopGradient;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.Pow;
import dev.oxbow.ops.math.Reciprocal;
import dev.oxbow.ops.math.Square;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Computes by simpler ops what graphs from elsewhere write by general ones. */
public final class Simplify implements Rewrite {

    /*
     * A power in general takes a logarithm and an exponential in f64: x^3 costs 50 times what two products do. Repeating
     * a row or a column, as gradients of sums do, is elementwise, so it need not be written where an elementwise op reads
     * it. What only stops gradients has done that, and what changes nothing stands between ops that could be fused. So does
     * a sum along dimensions of one element, which the gradient of an op that broadcasts leaves where both operands have one: it
     * is that element plus the 0 that sums begin with, and elementwise.
     */

    @Override
    public String name() {
        return "simplify";
    }

    @Override
    public String purpose() {
        return "multiply instead of taking powers, broadcast instead of repeating, and drop what does nothing";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Set<Node> roots = new HashSet<>(s.roots());
        return Rewriter.each(s, (w, n) -> {
            boolean simplified = switch (n.op()) {
                case Pow _ -> power(w, n);
                case Tile _ -> repetition(w, n);
                case StopGradient _, PreventGradient _ -> drop(w, n, roots);
                case Sum _ -> doesNothing(n) && drop(w, n, roots) || sumOfOnes(w, n);
                case Reshape _ -> doesNothing(n) && drop(w, n, roots);
                default -> false;
            };
            if (!simplified) w.copy(n);
        });
    }

    private static boolean drop(Rewriter w, Node n, Set<Node> roots) {
        Edge input = n.input(0);
        boolean stays = roots.contains(n) || !n.controls().isEmpty();
        if (stays || input.type().isRef() || input.node().op() instanceof CoreOp) return false;
        w.replace(n, List.of(w.edge(input)), w.node(input.node()));
        return true;
    }

    /** Whether a sum is of no dimension, or a shape is the one that is there: gradients of ops that broadcast leave such. */
    private static boolean doesNothing(Node n) {
        if (n.op() instanceof Sum) {
            Tensor axes = constant(n, 1);
            return axes != null && axes.size() == 0;
        }
        Shape x = n.input(0).type().shape();
        return x.isFullyKnown() && x.equals(n.output(0).shape());
    }

    /** A sum of floats along dimensions of one element each. */
    private static boolean sumOfOnes(Rewriter w, Node n) {
        Shape x = n.input(0).type().shape(), y = n.output(0).shape();
        DType t = n.output(0).dtype();
        Tensor axes = constant(n, 1);
        if (axes == null || !t.isFloating() || n.input(0).type().isRef() || !x.isFullyKnown() || x.size() == 0)
            return false;
        for (long i = 0; i < axes.size(); i++) if (x.dim((int) axes.getLong(i)) != 1) return false;
        Const zero = new Const(Tensor.zeros(t, Shape.SCALAR)),
                shape = new Const(Tensor.of(Shape.of(y.rank()), y.dims()));
        List<Node> where = w.controls(n.input(1).node()); // it may live in a loop or a branch
        List<Edge> sum = List.of(
                w.edge(n.input(0)), w.add(n, "/zero", zero, List.of(), where).edge(0));
        if (x.equals(y)) {
            w.replace(n, new AddV2(), sum, w.controls(n));
            return true;
        }
        Edge same = w.add(n, "/one", new AddV2(), sum, w.controls(n)).edge(0);
        Edge to = w.add(n, "/shape", shape, List.of(), where).edge(0);
        w.replace(n, new Reshape(), List.of(same, to), List.of());
        return true;
    }

    /** Whole powers of floats with a few products; what is computed in another type is left alone. */
    private static boolean power(Rewriter w, Node n) {
        DType t = n.output(0).dtype();
        Tensor y = constant(n, 1);
        if (y == null || y.size() != 1 || t != DType.F32 && t != DType.F64) return false;
        if (y.shape().rank() > Math.max(0, n.input(0).type().shape().rank())) return false;
        double power = y.getDouble(0);
        Edge x = w.edge(n.input(0));
        if (power == -1) {
            w.replace(n, new Reciprocal(), List.of(x), w.controls(n));
        } else if (power == 2) {
            w.replace(n, new Square(), List.of(x), w.controls(n));
        } else if (power == 3 || power == 4) {
            Edge square =
                    w.add(n, "/square", new Square(), List.of(x), w.controls(n)).edge(0);
            if (power == 3) w.replace(n, new Mul(), List.of(square, x), List.of());
            else w.replace(n, new Square(), List.of(square), List.of());
        } else {
            return false;
        }
        return true;
    }

    /** What is repeated along dimensions of size 1 only. */
    private static boolean repetition(Rewriter w, Node n) {
        Shape x = n.input(0).type().shape(), y = n.output(0).shape();
        Tensor multiples = constant(n, 1);
        if (multiples == null || !x.isFullyKnown() || !y.isFullyKnown() || y.size() == 0) return false;
        if (!n.input(1).node().controls().isEmpty()) return false; // it lives in a loop or a branch
        int[] dims = new int[y.rank()];
        for (int d = 0; d < dims.length; d++) {
            if (x.dim(d) != 1 && multiples.getLong(d) != 1 || y.dim(d) > Integer.MAX_VALUE) return false;
            dims[d] = (int) y.dim(d);
        }
        Const shape = new Const(Tensor.of(Shape.of(dims.length), dims));
        Edge to = w.add(n, "/shape", shape, List.of(), List.of()).edge(0);
        w.replace(n, new BroadcastTo(), List.of(w.edge(n.input(0)), to), w.controls(n));
        return true;
    }

    private static Tensor constant(Node n, int input) {
        return n.input(input).node().op() instanceof Const c ? c.value() : null;
    }
}
