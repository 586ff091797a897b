package dev.oxbow.cuda;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Readers;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.nn.BiasAddGrad;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Attention whose queries, keys and values are products of the same rows, with all that goes back through them, if anything does. */
final class HeadsMatch {

    /** What the three have each, in their order: of the way forward, then of the way back, null where there is none. */
    final Node attention;

    final List<Node> heads = new ArrayList<>();
    final List<Node> products = new ArrayList<>();
    Node gradient;
    final List<Node> back = new ArrayList<>();
    final List<Node> ofBiases = new ArrayList<>();
    final List<Node> ofWeights = new ArrayList<>();
    final List<Node> ofRows = new ArrayList<>();

    /** What adds the gradients of the rows up, and whether it has them in f32. */
    Node sum;

    boolean isWide;

    /** Casts to f32 on the way back, which are left out. */
    final List<Node> casts = new ArrayList<>();

    private HeadsMatch(Node attention) {
        this.attention = attention;
    }

    static List<HeadsMatch> all(Subgraph s) {
        Finder finder = new Finder(s);
        List<HeadsMatch> all = new ArrayList<>();
        for (Node n : s.graph().nodes()) {
            HeadsMatch m = n.op() instanceof Attention && n.inputCount() == 3 ? finder.of(n) : null;
            if (m != null) all.add(m);
        }
        return all;
    }

    boolean hasBias() {
        return products.getFirst().op() instanceof Linear;
    }

    Edge rows() {
        return products.getFirst().input(0);
    }

    /** The nodes that make one input of the three products: weights, or biases. */
    List<Edge> inputs(int number) {
        return products.stream().map(p -> p.input(number)).toList();
    }

    private static final class Finder {
        private final Readers readers;
        private final Map<Edge, List<Node>> by = new HashMap<>();

        Finder(Subgraph s) {
            readers = new Readers(s);
            for (Node n : s.graph().nodes())
                for (Edge e : new HashSet<>(n.inputs()))
                    by.computeIfAbsent(e, _ -> new ArrayList<>()).add(n);
        }

        private List<Node> readers(Edge e) {
            return by.getOrDefault(e, List.of());
        }

        HeadsMatch of(Node attention) {
            HeadsMatch m = new HeadsMatch(attention);
            Shape heads = attention.input(0).type().shape();
            boolean known = heads.dim(1) > 0 && heads.dim(2) > 0 && heads.dim(3) > 0;
            Set<Node> distinct = new HashSet<>();
            for (Edge e : attention.inputs()) {
                Node shaped = e.node(),
                        product =
                                shaped.inputCount() == 0
                                        ? null
                                        : shaped.input(0).node();
                boolean both = shaped.op() instanceof Reshape && isPlain(product);
                if (!known || !both || !e.type().shape().equals(heads) || !distinct.add(product)) return null;
                boolean alone = readers.areAll(1, product) && Readers.areTogether(product, attention);
                if (!alone || product.output(0).shape().dim(1) != heads.dim(2) * heads.dim(3)) return null;
                m.heads.add(shaped);
                m.products.add(product);
            }
            Node first = m.products.getFirst();
            for (Node p : m.products)
                if (!p.input(0).equals(first.input(0))
                        || p.op().getClass() != first.op().getClass()) return null;
            return isRead(m) && (m.gradient == null || goesBack(m)) ? m : null;
        }

        /** Whether a node multiplies, and adds a bias at most. */
        private static boolean isPlain(Node n) {
            return switch (n.op()) {
                case Linear l ->
                    !l.transposeA()
                            && !l.transposeB()
                            && !l.relu()
                            && n.input(2).type().shape().rank() == 1;
                case MatMul p -> !p.transposeA() && !p.transposeB();
                default -> false;
            };
        }

        /** Finds the gradient, where attention and that are all that read the heads. */
        private boolean isRead(HeadsMatch m) {
            List<Node> all = readers(m.heads.getFirst().edge(0));
            for (Node n : all) if (n != m.attention && n.op() instanceof AttentionGrad) m.gradient = n;
            for (int i = 0; i < 3; i++) {
                if (!readers.areAll(m.gradient == null ? 1 : 2, m.heads.get(i))) return false;
                if (m.gradient != null && !m.gradient.input(i).equals(m.attention.input(i))) return false;
            }
            return m.gradient == null || readers.areAll(3, m.gradient);
        }

        private boolean goesBack(HeadsMatch m) {
            for (int i = 0; i < 3; i++) {
                List<Node> next = readers(m.gradient.edge(i));
                if (next.size() != 1 || !(next.getFirst().op() instanceof Reshape)) return false;
                Node rows = next.getFirst();
                if (!rows.output(0).shape().equals(m.products.get(i).output(0).shape())) return false;
                m.back.add(rows);
                if (!leads(m, i, rows)) return false;
            }
            boolean biases = m.ofBiases.isEmpty() || m.ofBiases.size() == 3;
            boolean weights = m.ofWeights.isEmpty() || m.ofWeights.size() == 3;
            return biases && weights && (m.ofRows.isEmpty() || m.ofRows.size() == 3 && adds(m));
        }

        /** Where the gradient of a product goes: to its bias, its weight, its rows. */
        private boolean leads(HeadsMatch m, int i, Node rows) {
            List<Node> next = readers(rows.edge(0));
            if (!readers.areAll(next.size(), rows)) return false;
            for (Node n : next) {
                Node folds = n;
                if (n.op() instanceof Cast) {
                    if (readers(n.edge(0)).size() != 1 || !readers.areAll(1, n)) return false;
                    m.casts.add(n);
                    folds = readers(n.edge(0)).getFirst();
                }
                if (folds.op() instanceof BiasAddGrad b && b.dataFormat().equals("NHWC") && m.hasBias()) {
                    if (m.ofBiases.size() != i) return false;
                    m.ofBiases.add(folds);
                } else if (!(n.op() instanceof MatMul p)) return false;
                else if (p.transposeA() && !p.transposeB() && n.input(1).node() == rows) {
                    if (m.ofWeights.size() != i || !n.input(0).equals(m.rows())) return false;
                    m.ofWeights.add(n);
                } else if (!p.transposeA() && p.transposeB() && n.input(0).node() == rows) {
                    boolean own = n.input(1).equals(m.products.get(i).input(1));
                    if (m.ofRows.size() != i || !own || !readers.areAll(1, n)) return false;
                    m.ofRows.add(n);
                } else return false;
            }
            return true;
        }

        /** Finds the sum of the gradients of the rows. */
        private boolean adds(HeadsMatch m) {
            for (int i = 0; i < 3; i++) {
                Node reader = readers(m.ofRows.get(i).edge(0)).getFirst();
                boolean wide = reader.op() instanceof Cast;
                if (wide) {
                    if (!readers.areAll(1, reader)) return false;
                    m.casts.add(reader);
                    reader = readers(reader.edge(0)).getFirst();
                }
                boolean same = i == 0 || m.sum == reader && m.isWide == wide;
                if (!(reader.op() instanceof AddN) || !same) return false;
                m.sum = reader;
                m.isWide = wide;
            }
            return true;
        }
    }
}
