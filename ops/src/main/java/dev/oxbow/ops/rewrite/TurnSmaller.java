package dev.oxbow.ops.rewrite;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.pass.Readers;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.BiasAddGrad;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Exchanges the first two dimensions of what a product of rows reads, instead of its result, where that is smaller. */
public final class TurnSmaller implements Rewrite {

    /*
     * A recurrent layer multiplies the rows of [batch, time, n] and wants the result with the time first. Rows of a product are those of
     * its left side, so either may be turned; and sums over rows, which gradients of kernel and bias are, take them in any order. Layers
     * turn the result all the same, because plans can share out rows of [batch, time] only; this stage runs on a device's own part.
     *
     *   turn(product(x))                  is  product(turn(x))
     *   sum over rows of turn(d)          is  sum over rows of d
     *   transposed(x) times turn(d)       is  transposed(turn(x)) times d
     *   product(turn(d))                  is  turn(product(d))
     */

    @Override
    public String name() {
        return "turn";
    }

    @Override
    public String purpose() {
        return "exchange the first two dimensions on the smaller side of a product of rows";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        return s.graph().nodes().stream().anyMatch(TurnSmaller::isTurned) ? new Run(s).run() : s;
    }

    /** Whether a node exchanges the first two of three dimensions. */
    private static boolean isTurned(Node n) {
        if (!(n.op() instanceof Transpose) || n.output(0).shape().rank() != 3) return false;
        if (!(n.input(1).node().op() instanceof Const order)) return false;
        if (!n.input(1).node().controls().isEmpty()) return false; // it lives in a loop or a branch
        return order.value().getLong(0) == 1 && order.value().getLong(1) == 0;
    }

    /** What is turned and made rows; null where {@code rows} is something else. */
    private static Node turned(Edge rows) {
        Node n = isRows(rows.node()) ? rows.node().input(0).node() : null;
        return n != null && isTurned(n) ? n : null;
    }

    /** Whether a node makes rows of the last of three dimensions. */
    private static boolean isRows(Node n) {
        return n.op() instanceof Reshape && keepsLast(n, 3, 2);
    }

    private static boolean isCube(Node n) {
        return n.op() instanceof Reshape && keepsLast(n, 2, 3);
    }

    private static boolean keepsLast(Node n, int from, int to) {
        Shape x = n.input(0).type().shape();
        Shape y = n.output(0).shape();
        return x.rank() == from && y.rank() == to && x.dim(from - 1) > 0 && x.dim(from - 1) == y.dim(to - 1);
    }

    /** Whether two values of three dimensions have the same rows; of the first two dimensions one must be known. */
    private static boolean haveSameRows(Edge a, Edge b) {
        Shape x = a.type().shape();
        Shape y = b.type().shape();
        return x.dim(0) == y.dim(0) && x.dim(1) == y.dim(1) && Math.max(x.dim(0), x.dim(1)) > 0;
    }

    private static long width(Edge e) {
        return e.type().shape().dim(e.type().shape().rank() - 1);
    }

    /** One graph, first looked at and then written. */
    private static final class Run {
        private final Subgraph graph;
        private final Map<Node, Set<Node>> readers = new HashMap<>();
        private final Readers counts;

        /** By product: what its rows are made of, to be turned first. */
        private final Map<Node, Node> products = new HashMap<>();

        /** By node that turns a product: the last node of that product, which has its rows in the other order then. */
        private final Map<Node, Node> results = new HashMap<>();

        /** By node that reads turned rows and can take them as they are: that which turned them. */
        private final Map<Node, Node> sums = new HashMap<>();

        /** By the three dimensions of a product of turned rows: what turned them. */
        private final Map<Node, Node> later = new HashMap<>();

        private final Map<Edge, Edge> turned = new HashMap<>();
        private final Map<Edge, Edge> rows = new HashMap<>();

        Run(Subgraph graph) {
            this.graph = graph;
            this.counts = new Readers(graph);
            for (Node n : graph.graph().nodes())
                for (Edge e : n.inputs())
                    readers.computeIfAbsent(e.node(), _ -> new HashSet<>()).add(n);
        }

        Subgraph run() {
            for (Node n : graph.graph().nodes()) {
                if (isTurned(n)) forward(n);
                else if (n.op() instanceof BiasAddGrad && turned(n.input(0)) != null) sums.put(n, turned(n.input(0)));
                else if (n.op() instanceof MatMul) backward(n);
            }
            if (products.isEmpty() && sums.isEmpty() && later.isEmpty()) return graph;
            return Rewriter.each(graph, this::write);
        }

        /** A product, with a bias perhaps, that only this node reads, once its shape is aside. */
        private void forward(Node turn) {
            Node cube = turn.input(0).node();
            if (!isCube(cube) || !counts.areAll(1, cube)) return;
            Node last = cube.input(0).node(), reader = cube, at = last;
            if (at.op() instanceof BiasAdd && isReadBy(at, reader)) {
                reader = at;
                at = at.input(0).node();
            }
            if (!(at.op() instanceof MatMul m) || m.transposeA() || !isReadBy(at, reader)) return;
            Node from = at.input(0).node();
            if (!isRows(from) || !haveSameRows(from.input(0), cube.edge(0))) return;
            if (width(from.input(0)) > width(cube.edge(0))) return;
            products.put(at, from);
            results.put(turn, last);
        }

        private boolean isReadBy(Node n, Node reader) {
            return readers.get(n).stream().allMatch(r -> r == reader || r.op() instanceof dev.oxbow.ops.array.Shape)
                    && Readers.areTogether(n, reader);
        }

        private void backward(Node n) {
            MatMul m = (MatMul) n.op();
            Node left = n.input(0).node(), right = turned(n.input(1));
            if (m.transposeA() && !m.transposeB() && right != null && isRows(left)) {
                Edge x = left.input(0);
                if (haveSameRows(x, right.edge(0)) && width(x) <= width(right.edge(0))) {
                    products.put(n, left);
                    sums.put(n, right);
                }
            }
            Node turn = turned(n.input(0));
            if (m.transposeA()
                    || turn == null
                    || readers.getOrDefault(n, Set.of()).size() != 1) return;
            Node cube = readers.get(n).iterator().next();
            if (!isCube(cube) || !counts.areAll(1, n) || !Readers.areTogether(n, cube)) return;
            if (!haveSameRows(cube.edge(0), turn.edge(0)) || width(cube.edge(0)) > width(turn.edge(0))) return;
            sums.put(n, turn);
            later.put(cube, turn);
        }

        private void write(Rewriter w, Node n) {
            if (results.containsKey(n)) {
                Edge last = w.edge(results.get(n).edge(0));
                w.replace(
                        n,
                        new Reshape(),
                        List.of(last, shape(w, n, n.output(0).shape().dims())),
                        w.controls(n));
            } else if (later.containsKey(n)) {
                long[] dims = n.output(0).shape().dims().clone();
                long first = dims[0];
                dims[0] = dims[1];
                dims[1] = first;
                Edge cube = w.add(
                                n,
                                "/cube",
                                new Reshape(),
                                List.of(w.edge(n.input(0)), shape(w, n, dims)),
                                w.controls(n))
                        .edge(0);
                w.replace(n, new Transpose(), List.of(cube, order(w, n)), List.of());
            } else if (products.containsKey(n) || sums.containsKey(n)) {
                List<Edge> inputs = w.inputs(n);
                if (products.containsKey(n))
                    inputs.set(0, turnedRows(w, n, products.get(n).input(0)));
                if (sums.containsKey(n)) {
                    int at = products.containsKey(n) ? 1 : 0;
                    inputs.set(at, rows(w, n, w.edge(sums.get(n).input(0))));
                }
                w.copy(n, inputs);
            } else {
                w.copy(n);
            }
        }

        private Edge turnedRows(Rewriter w, Node n, Edge old) {
            Edge x = w.edge(old);
            Edge t = turned.get(x);
            if (t == null) {
                t = w.add(n, "/turned", new Transpose(), List.of(x, order(w, n)), List.of())
                        .edge(0);
                turned.put(x, t);
            }
            return rows(w, n, t);
        }

        private Edge rows(Rewriter w, Node n, Edge x) {
            Edge r = rows.get(x);
            if (r == null) {
                r = w.add(n, "/rows", new Reshape(), List.of(x, shape(w, n, -1, width(x))), List.of())
                        .edge(0);
                rows.put(x, r);
            }
            return r;
        }

        private static Edge order(Rewriter w, Node n) {
            return constant(w, n, "/order", 1, 0, 2);
        }

        private static Edge shape(Rewriter w, Node n, long... dims) {
            return constant(w, n, "/shape", dims);
        }

        private static Edge constant(Rewriter w, Node n, String suffix, long... values) {
            int[] all = Arrays.stream(values).mapToInt(Math::toIntExact).toArray();
            Const c = new Const(Tensor.of(Shape.of(all.length), all));
            return w.add(n, suffix, c, List.of(), List.of()).edge(0);
        }
    }
}
