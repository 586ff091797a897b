package dev.oxbow.cuda;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.pass.Readers;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Has products in 16 bits compute the GELU of their results, and products of gradients its derivative, as their libraries can. */
final class Gelus implements Rewrite {

    /*
     * GELU is written in many ways, and its gradient follows from the way. So it is known by what it does: every elementwise
     * value that follows from a biased product x alone, or from x and a product dy of gradients, is computed for some numbers,
     * in f32, and compared with gelu(x) and with dy gelu'(x). The form by the error function differs by 5e-4 and is another.
     */

    private static final int NUMBERS = 128;
    private static final double CLOSE = 4e-6;
    private static final float[] XS = new float[NUMBERS];
    private static final float[] DYS = new float[NUMBERS];

    static {
        for (int i = 0; i < NUMBERS; i++) {
            double at = (i - NUMBERS / 2 + 0.3) / 10; // -6.4 to 6.4
            XS[i] = (float) (i % 16 == 7 ? 8 * at : i % 16 == 3 ? at / 1000 : at);
            DYS[i] = (i % 3 == 0 ? -1 : 1) * (0.5f + i % 7);
        }
    }

    /** What a node makes of the numbers: of the sum {@code x}, of the product {@code dy}, null for those that it does not need. */
    private record Made(Node x, Node dy, float[] values) {}

    @Override
    public String name() {
        return "gelu";
    }

    @Override
    public String purpose() {
        return "compute GELU and its gradient inside of products";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Work work = new Work(s);
        if (work.forward.isEmpty()) return s;
        return Rewriter.each(s, work::step);
    }

    private static final class Work {
        private final Readers readers;
        private final Map<Node, Made> made = new HashMap<>();

        /** By sum, by result and by gradient: those whose GELU somebody computes, and what does. */
        private final Map<Node, Node> forward = new HashMap<>();

        private final Set<Node> results = new HashSet<>();
        private final Set<Node> gradients = new HashSet<>();
        private final Map<Node, Edge> products = new HashMap<>();

        Work(Subgraph s) {
            readers = new Readers(s);
            for (Node n : s.graph().nodes()) {
                Made m = made(n);
                if (m == null) continue;
                made.put(n, m);
                if (m.x == null || m.x == n) continue;
                if (m.dy == null && isGelu(m.values) && isHalf(n)) {
                    forward.putIfAbsent(m.x, n);
                    results.add(n);
                } else if (m.dy != null && isGradient(m.values)) gradients.add(n);
            }
            Set<Node> shared = new HashSet<>();
            for (Node n : s.graph().nodes())
                for (Edge e : n.inputs()) {
                    Made from = made.get(e.node()), to = made.get(n);
                    boolean inside = to != null && from != null && to.dy == from.dy;
                    if (from != null && from.dy != null && !inside && !gradients.contains(e.node()))
                        shared.add(from.dy);
                }
            gradients.removeIf(n -> shared.contains(made.get(n).dy) || !forward.containsKey(made.get(n).x));
        }

        private static boolean isHalf(Node n) {
            DType t = n.output(0).dtype();
            return t == DType.BF16 || t == DType.F16;
        }

        private Made made(Node n) {
            if (n.outputCount() != 1) return null;
            return switch (n.op()) {
                case Const c when n.output(0).dtype().isFloating() && c.value().size() == 1 -> constant(c.value());
                case BiasAdd b when isSum(n) -> new Made(n, null, XS);
                case MatMul _ when isHalf(n) && n.output(0).shape().isFullyKnown() -> new Made(null, n, DYS);
                case Cast _ when n.output(0).dtype().isFloating() -> same(n);
                case Identity _, Reshape _, Reducing _ -> same(n);
                case Elementwise e
                when e.broadcasts() && e.operands(n.inputCount()) == n.inputCount() -> computed(n, e);
                default -> null;
            };
        }

        /** Whether a product in 16 bits, which nobody else reads, gets its bias here. */
        private boolean isSum(Node n) {
            Node product = n.input(0).node();
            return ((BiasAdd) n.op()).dataFormat().equals("NHWC")
                    && isHalf(n)
                    && product.op() instanceof MatMul
                    && n.output(0).shape().isFullyKnown()
                    && readers.areAll(1, product)
                    && Readers.areTogether(product, n);
        }

        private static Made constant(Tensor t) {
            float[] all = new float[NUMBERS];
            Arrays.fill(all, (float) t.getDouble(0));
            return new Made(null, null, all);
        }

        /** What gives its first input, of its shape, on: a fold of nothing, another dtype. */
        private Made same(Node n) {
            Made m = made.get(n.input(0).node());
            boolean kept = m != null
                    && n.output(0).shape().isFullyKnown()
                    && n.output(0).shape().equals(n.input(0).type().shape())
                    && n.output(0).dtype().isFloating();
            return kept ? m : null;
        }

        private Made computed(Node n, Elementwise e) {
            Node x = null, dy = null;
            List<Made> from = new ArrayList<>();
            for (Edge in : n.inputs()) {
                Made m = made.get(in.node());
                if (m == null || !in.type().dtype().isFloating()) return null;
                boolean differs = x != null && m.x != null && x != m.x || dy != null && m.dy != null && dy != m.dy;
                boolean whole = (m.x == null && m.dy == null)
                        || in.type().shape().equals(n.output(0).shape());
                if (differs || !whole) return null;
                x = m.x != null ? m.x : x;
                dy = m.dy != null ? m.dy : dy;
                from.add(m);
            }
            if (from.isEmpty() || !n.output(0).dtype().isFloating()) return null;
            return new Made(x, dy, values(e, from));
        }

        private static float[] values(Elementwise e, List<Made> from) {
            List<Expr> inputs = new ArrayList<>();
            Tensor[] tensors = new Tensor[from.size()];
            for (int i = 0; i < tensors.length; i++) {
                inputs.add(Expr.input(i, DType.F32));
                tensors[i] = Tensor.of(Shape.of(NUMBERS), from.get(i).values);
            }
            try (Tensor out = Tensor.allocate(DType.F32, Shape.of(NUMBERS))) {
                ElementwiseKernel.of(e.expressions(inputs))
                        .run(Parallel.SERIAL, out.shape(), tensors, new Tensor[] {out});
                return out.floats();
            } finally {
                for (Tensor t : tensors) t.close();
            }
        }

        private static boolean isGelu(float[] values) {
            for (int i = 0; i < NUMBERS; i++)
                if (!(Math.abs(values[i] - GeluFormulas.value(XS[i])) <= CLOSE * (1 + Math.abs(XS[i])))) return false;
            return true;
        }

        private static boolean isGradient(float[] values) {
            for (int i = 0; i < NUMBERS; i++) {
                double wanted = DYS[i] * GeluFormulas.slope(XS[i]);
                if (!(Math.abs(values[i] - wanted) <= 10 * CLOSE * (1 + Math.abs(XS[i])))) return false;
            }
            return true;
        }

        void step(Rewriter w, Node n) {
            if (forward.containsKey(n)) {
                Node product = n.input(0).node();
                MatMul m = (MatMul) product.op();
                List<Edge> inputs = List.of(w.edge(product.input(0)), w.edge(product.input(1)), w.edge(n.input(1)));
                Node both = w.add(
                        n, "/gelu", new LinearGelu(m.transposeA(), m.transposeB()), inputs, w.controls(n, product));
                products.put(n, both.edge(0));
                w.replace(n, List.of(both.edge(1)), both);
            } else if (results.contains(n)) {
                Edge y = products.get(made.get(n).x);
                w.replace(n, List.of(y), y.node());
            } else if (gradients.contains(n)) {
                w.replace(
                        n, List.of(gradient(w, n)), products.get(made.get(n).dy).node());
            } else w.copy(n);
        }

        /** The gradient, made once for each product, in the dtype of a node that is one. */
        private Edge gradient(Rewriter w, Node n) {
            Made m = made.get(n);
            Edge known = products.get(m.dy);
            if (known == null) {
                MatMul p = (MatMul) m.dy.op();
                List<Edge> inputs = List.of(w.edge(m.dy.input(0)), w.edge(m.dy.input(1)), w.edge(m.x.edge(0)));
                known = w.add(
                                n,
                                "/gelu",
                                new LinearGeluGrad(p.transposeA(), p.transposeB()),
                                inputs,
                                w.controls(n, m.dy))
                        .edge(0);
                products.put(m.dy, known);
            }
            DType wanted = n.output(0).dtype();
            if (wanted == known.type().dtype()) return known;
            return w.add(n, "/wide", new Cast(wanted), List.of(known), List.of())
                    .edge(0);
        }
    }
}
