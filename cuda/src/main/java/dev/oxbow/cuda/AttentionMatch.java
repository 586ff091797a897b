package dev.oxbow.cuda;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.linalg.BatchMatMul;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.Sub;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.ops.nn.Softmax;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The nodes of one attention in a graph, and of its gradient, if there is one. */
final class AttentionMatch {

    /*
     * {@code softmax(scale (q k^T) + mask) v}, in which casts may stand anywhere. What its softmax is read by besides
     * must be its gradient as differentiation makes it: {@code dv = p^T dy}, {@code ds = (dp - sum(dp p)) p} with
     * {@code dp = dy v^T}, {@code dq = (scale ds) k}, {@code dk = (scale ds)^T q}. Where anything differs, nothing is matched.
     */

    /** A product of heads, by its operands. */
    private record Product(Edge a, Edge b, boolean turnsA, boolean turnsB) {
        static Product of(Node n) {
            return switch (n.op()) {
                case BatchMatMulV2 m -> new Product(n.input(0), n.input(1), m.adjX(), m.adjY());
                case BatchMatMul m -> new Product(n.input(0), n.input(1), m.adjX(), m.adjY());
                default -> null;
            };
        }

        boolean is(boolean turnA, boolean turnB) {
            return turnsA == turnA && turnsB == turnB;
        }
    }

    /** A score that is at most this much is not seen. */
    private static final double UNSEEN = -1e4;

    private static final int CHANNELS_TOGETHER = 8;

    final Edge q;
    final Edge k;
    final Edge v;
    final Node result;
    final float scale;
    final boolean causal;
    Edge dy;
    private List<Node> gradients;

    private AttentionMatch(Edge q, Edge k, Edge v, Node result, double scale, boolean causal) {
        this.q = q;
        this.k = k;
        this.v = v;
        this.result = result;
        this.scale = (float) scale;
        this.causal = causal;
    }

    boolean isTrained() {
        return gradients != null;
    }

    /** The products that give dq, dk and dv, in this order. */
    List<Node> gradients() {
        return gradients;
    }

    /** All of a graph, with at most so many channels a head. */
    static List<AttentionMatch> all(Subgraph s, int mostChannels) {
        Map<Edge, List<Node>> readers = new HashMap<>();
        for (Node n : s.graph().nodes())
            for (Edge e : new HashSet<>(n.inputs()))
                readers.computeIfAbsent(e, _ -> new ArrayList<>()).add(n);
        Set<Node> roots = new HashSet<>(s.roots());
        List<AttentionMatch> all = new ArrayList<>();
        for (Node n : s.graph().nodes()) {
            if (!(n.op() instanceof Softmax) || roots.contains(n)) continue;
            AttentionMatch m = new Finder(readers, roots).of(n, mostChannels);
            if (m != null) all.add(m);
        }
        return all;
    }

    /** What an edge is but for casts and what does nothing. */
    private static Edge plain(Edge e) {
        Edge at = e;
        while (passes(at.node())) at = at.node().input(0);
        return at;
    }

    /** Whether a node gives what it gets, if in another dtype; sums of no axes, too, which differentiation leaves. */
    private static boolean passes(Node n) {
        return switch (n.op()) {
            case Cast _, Identity _ -> true;
            case Sum _ -> n.input(1).node().op() instanceof Const c && c.value().size() == 0;
            case Reshape _ -> isSame(n.input(0).type().shape(), n.output(0).shape());
            default -> false;
        };
    }

    private static boolean isSame(Shape a, Shape b) {
        if (!a.isRankKnown() || !a.equals(b)) return false;
        int unknown = 0;
        for (int d = 0; d < a.rank(); d++) if (a.dim(d) < 0) unknown++;
        return unknown <= 1; // the other sizes leave no choice
    }

    private record Finder(Map<Edge, List<Node>> readers, Set<Node> roots) {

        AttentionMatch of(Node softmax, int mostChannels) {
            Node scores = plain(softmax.input(0)).node();
            boolean causal = false;
            if (scores.op() instanceof AddV2) {
                Edge[] sum = constant(scores);
                if (sum == null || !isCausal(value(sum[1]))) return null;
                causal = true;
                scores = plain(sum[0]).node();
            }
            double scale = 1;
            if (scores.op() instanceof Mul) {
                Edge[] scaled = constant(scores);
                if (scaled == null || value(scaled[1]).size() != 1) return null;
                scale = value(scaled[1]).getDouble(0);
                scores = plain(scaled[0]).node();
            }
            Product first = Product.of(scores);
            if (first == null || !first.is(false, true)) return null;
            List<Node> read = read(softmax.edge(0));
            if (read == null) return null;
            AttentionMatch m = null;
            for (Node n : read) {
                Product p = Product.of(n);
                boolean mixes = p != null && p.is(false, false) && plain(p.a).equals(softmax.edge(0));
                if (mixes && m != null) return null;
                if (mixes) m = new AttentionMatch(first.a, first.b, p.b, n, scale, causal);
            }
            if (m == null || !m.suits(mostChannels)) return null;
            return read.size() == 1 || trained(m, softmax, read, scale != 1) ? m : null;
        }

        /** All that read an edge but for casts; null where it is a result. */
        private List<Node> read(Edge e) {
            List<Node> all = new ArrayList<>();
            for (Node n : readers.getOrDefault(e, List.of())) {
                if (!passes(n)) {
                    all.add(n);
                    continue;
                }
                List<Node> more = roots.contains(n) ? null : read(n.edge(0));
                if (more == null) return null;
                all.addAll(more);
            }
            return all;
        }

        /** Fills in the gradient of a match, if that is what reads its softmax. */
        private boolean trained(AttentionMatch m, Node softmax, List<Node> read, boolean scaled) {
            Edge p = softmax.edge(0);
            Node dv = null, weighted = null, ds = null;
            for (Node n : read) {
                Product product = Product.of(n);
                if (n == m.result) continue;
                if (product != null
                        && product.is(true, false)
                        && plain(product.a).equals(p)
                        && dv == null) dv = n;
                else if (n.op() instanceof Mul && other(n, p) != null) {
                    if (other(n, p).node().op() instanceof Sub && ds == null) ds = n;
                    else if (weighted == null) weighted = n;
                    else return false;
                } else return false;
            }
            if (dv == null || weighted == null || ds == null) return false;
            Edge dp = other(weighted, p);
            Node centred = other(ds, p).node();
            boolean centres = plain(centred.input(0)).equals(dp)
                    && plain(centred.input(1)).node().op() instanceof Sum sum
                    && sum.keepDims()
                    && plain(plain(centred.input(1)).node().input(0)).node() == weighted
                    && isLastAxis(plain(centred.input(1)).node());
            Product back = Product.of(dp.node());
            Edge dy = Product.of(dv).b;
            boolean goes = back != null
                    && back.is(false, true)
                    && plain(back.a).equals(plain(dy))
                    && plain(back.b).equals(plain(m.v));
            return centres && goes && leads(m, ds, scaled, dv, dy);
        }

        private static boolean isLastAxis(Node sum) {
            Edge axes = sum.input(1);
            if (!(axes.node().op() instanceof Const c) || c.value().size() != 1) return false;
            long a = c.value().getLong(0);
            return a == -1 || a == 3;
        }

        /** From the gradient of the scores to those of queries and keys. */
        private boolean leads(AttentionMatch m, Node ds, boolean scaled, Node dv, Edge dy) {
            List<Node> next = read(ds.edge(0));
            if (scaled) {
                if (next == null || next.size() != 1 || !(next.getFirst().op() instanceof Mul)) return false;
                Edge[] by = constant(next.getFirst());
                if (by == null || value(by[1]).size() != 1) return false;
                if (Math.abs(value(by[1]).getDouble(0) - m.scale) > 1e-2 * Math.abs(m.scale)) return false;
                next = read(next.getFirst().edge(0));
            }
            if (next == null || next.size() != 2) return false;
            Node dq = null, dk = null;
            for (Node n : next) {
                Product p = Product.of(n);
                if (p == null) return false;
                if (p.is(false, false) && plain(p.b).equals(plain(m.k))) dq = n;
                if (p.is(true, false) && plain(p.b).equals(plain(m.q))) dk = n;
            }
            if (dq == null || dk == null) return false;
            m.gradients = List.of(dq, dk, dv);
            m.dy = dy;
            return true;
        }

        /** The operand of a product that is not this edge, but for casts; null where neither is. */
        private static Edge other(Node n, Edge e) {
            if (plain(n.input(0)).equals(e)) return plain(n.input(1));
            return plain(n.input(1)).equals(e) ? plain(n.input(0)) : null;
        }

        /** The operand of a node that is no constant, and the one that is. */
        private static Edge[] constant(Node n) {
            for (int i = 0; i < 2; i++)
                if (plain(n.input(i)).node().op() instanceof Const)
                    return new Edge[] {n.input(1 - i), plain(n.input(i))};
            return null;
        }

        private static Tensor value(Edge e) {
            return ((Const) e.node().op()).value();
        }

        /** Whether a mask leaves all positions but later ones. */
        private static boolean isCausal(Tensor mask) {
            Shape s = mask.shape();
            if (s.rank() < 2 || s.dim(-1) != s.dim(-2) || s.size() != s.dim(-1) * s.dim(-2)) return false;
            long n = s.dim(-1);
            for (long i = 0; i < n; i++)
                for (long j = 0; j < n; j++) {
                    double x = mask.getDouble(i * n + j);
                    if (j <= i ? x != 0 : x > UNSEEN) return false;
                }
            return true;
        }
    }

    /** Whether cuDNN may know it: four dimensions, alike as far as they are known, in 16 bits. */
    private boolean suits(int mostChannels) {
        Shape a = q.type().shape(), b = k.type().shape(), c = v.type().shape();
        DType t = q.type().dtype();
        boolean half = (t == DType.BF16 || t == DType.F16)
                && k.type().dtype() == t
                && v.type().dtype() == t
                && result.output(0).dtype() == t;
        if (!half || a.rank() != 4 || b.rank() != 4 || c.rank() != 4) return false;
        long channels = a.dim(3);
        boolean alike = a.withDim(2, -1).isCompatibleWith(b.withDim(2, -1)) && b.isCompatibleWith(c);
        boolean wide = channels > 0 && b.dim(3) == channels && c.dim(3) == channels;
        return alike && wide && channels % CHANNELS_TOGETHER == 0 && channels <= mostChannels;
    }
}
