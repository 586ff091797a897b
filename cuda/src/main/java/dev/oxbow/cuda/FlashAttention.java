package dev.oxbow.cuda;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Makes one node of attention in 16 bits, and one of its gradients, so that nothing of the size of all scores is written. */
final class FlashAttention implements Rewrite {
    private static final Tensor ORDER = Tensor.of(Shape.of(4), 0, 2, 1, 3);

    private final int generation;
    private final ToLongFunction<AttentionPlan> workspace;

    /** For cards of a generation, such as 9, on which gradients want so many bytes beside their results. */
    FlashAttention(int generation, ToLongFunction<AttentionPlan> workspace) {
        this.generation = generation;
        this.workspace = workspace;
    }

    @Override
    public String name() {
        return "attention";
    }

    @Override
    public String purpose() {
        return "attend, and go back, without writing scores";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Map<Node, AttentionMatch> forward = new HashMap<>(), backward = new HashMap<>();
        for (AttentionMatch m : AttentionMatch.all(s, generation >= 9 ? 256 : 128)) {
            forward.put(m.result, m);
            if (m.isTrained()) for (Node n : m.gradients()) backward.put(n, m);
        }
        if (forward.isEmpty()) return s;
        Map<AttentionMatch, Node> made = new HashMap<>(), gradients = new HashMap<>();
        return Rewriter.each(s, (w, n) -> {
            AttentionMatch m = forward.get(n), g = backward.get(n);
            if (m != null) {
                List<Edge> inputs = List.of(turned(w, n, m.q), turned(w, n, m.k), turned(w, n, m.v));
                Node a = w.add(n, "/attention", new Attention(m.scale, m.causal), inputs, w.controls(n));
                made.put(m, a);
                w.replace(n, List.of(turned(w, n, a.edge(0), "/heads")), a);
            } else if (g != null && made.containsKey(g)) {
                Node a = gradients.computeIfAbsent(g, _ -> gradient(w, n, g, made.get(g)));
                Edge mine = a.edge(g.gradients().indexOf(n));
                w.replace(n, List.of(turned(w, n, mine, "/heads")), a);
            } else if (!undone(w, n)) w.copy(n);
        });
    }

    /** Leaves a node out that turns what was turned just before. */
    private static boolean undone(Rewriter w, Node n) {
        if (!(n.op() instanceof Transpose) || !isOrder(n.input(1))) return false;
        Edge in = w.edge(n.input(0));
        if (in == null
                || !(in.node().op() instanceof Transpose)
                || !isOrder(in.node().input(1))) return false;
        w.replace(n, List.of(in.node().input(0)), in.node());
        return true;
    }

    private Node gradient(Rewriter w, Node n, AttentionMatch m, Node forward) {
        List<Edge> inputs = List.of(
                forward.input(0),
                forward.input(1),
                forward.input(2),
                forward.edge(0),
                forward.edge(1),
                turned(w, n, m.dy));
        TensorType q = forward.input(0).type(), k = forward.input(1).type();
        boolean known = q.shape().isFullyKnown() && k.shape().isFullyKnown();
        long bytes = known ? workspace.applyAsLong(AttentionPlan.of(true, q, k, m.causal)) : 0;
        return w.add(n, "/gradient", new AttentionGrad(m.scale, m.causal, bytes), inputs, w.controls(n));
    }

    /** Heads after positions: what was there before it was turned, or turned again. */
    private static Edge turned(Rewriter w, Node n, Edge old) {
        Node t = old.node();
        if (t.op() instanceof Transpose && isOrder(t.input(1))) return w.edge(t.input(0));
        return turned(w, n, w.edge(old), "/positions");
    }

    private static Edge turned(Rewriter w, Node n, Edge e, String suffix) {
        Node before = e.node();
        if (before.op() instanceof Transpose && isOrder(before.input(1))) return before.input(0);
        Node order = w.add(n, "/order", new Const(ORDER), List.of(), List.of());
        return w.add(n, suffix, new Transpose(), List.of(e, order.edge(0)), List.of())
                .edge(0);
    }

    private static boolean isOrder(Edge e) {
        if (!(e.node().op() instanceof Const c) || c.value().size() != 4) return false;
        for (int i = 0; i < 4; i++) if (c.value().getLong(i) != ORDER.getLong(i)) return false;
        return true;
    }
}
