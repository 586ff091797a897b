package dev.oxbow.ops.rewrite;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Readers;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.math.Relu;
import dev.oxbow.ops.math.Relu6;
import dev.oxbow.ops.math.Relu6Grad;
import dev.oxbow.ops.math.ReluGrad;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.nn.MaxPoolGrad;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Takes the maximum over windows before a bias is added and before rectifying, so that these have fewer elements. */
public final class PoolFirst implements Rewrite {

    /*
     * Neither ever falls, rounding included, so max(f(x)) = f(max(x)) bit for bit where values are finite. The gradient
     * of the pool then looks for the largest element of x. It finds the same one, or one of several that rounding made
     * equal; those that the rectifier made equal get no gradient, because it has been masked by then (SpreadLast).
     */

    @Override
    public String name() {
        return "pool";
    }

    @Override
    public String purpose() {
        return "take the maximum over windows before adding a bias and rectifying";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Readers readers = new Readers(s);
        Map<Edge, List<Node>> gradients = new HashMap<>();
        for (Node n : s.graph().nodes())
            if (n.op() instanceof MaxPoolGrad)
                gradients.computeIfAbsent(n.input(1), e -> new ArrayList<>()).add(n);
        Map<Node, List<Node>> after = new HashMap<>();
        Map<Node, Node> pools = new HashMap<>();
        Set<Node> dropped = new HashSet<>();
        for (Node n : s.graph().nodes()) {
            if (!(n.op() instanceof MaxPool pool)) continue;
            List<Node> own = gradients.getOrDefault(n.edge(0), List.of());
            List<Node> moved = movable(n, pool, own, readers);
            if (moved.isEmpty()) continue;
            after.put(n, moved);
            dropped.addAll(moved);
            for (Node g : own) pools.put(g, n);
        }
        if (after.isEmpty()) return s;
        Map<Node, Node> made = new HashMap<>();
        return Rewriter.each(s, (w, n) -> {
            if (dropped.contains(n)) return;
            List<Edge> inputs = w.inputs(n);
            List<Node> moved = after.getOrDefault(pools.getOrDefault(n, n), List.of());
            if (!moved.isEmpty()) inputs.set(0, w.edge(moved.getFirst().input(0)));
            if (pools.containsKey(n)) inputs.set(1, made.get(pools.get(n)).edge(0));
            Node last = w.copy(n, inputs);
            if (!after.containsKey(n)) return;
            made.put(n, last);
            for (Node m : moved) {
                List<Edge> in = w.inputs(m);
                in.set(0, last.edge(0));
                last = w.replace(m, m.op(), in, w.controls(m));
            }
            w.replace(n, last);
        });
    }

    /** What can run after a pool instead of before it, in order. */
    private static List<Node> movable(Node n, MaxPool pool, List<Node> gradients, Readers readers) {
        List<Node> found = new ArrayList<>();
        if (!n.output(0).dtype().isFloating() || pool.strides().equals(List.of(1L, 1L, 1L, 1L))) return found;
        for (Node m = n.input(0).node(); ; m = m.input(0).node()) {
            Op mask = mask(m.op());
            boolean bias = m.op() instanceof BiasAdd b && pool.keepsChannels(b.dataFormat());
            if (mask == null && !bias || !Readers.areTogether(m, n)) return found;
            boolean first = found.isEmpty();
            if (!readers.areAll(first ? 1 + gradients.size() : 1, m)) return found;
            for (Node g : gradients) {
                if (first && !g.input(0).equals(m.edge(0))) return found;
                if (mask != null && !(first && isMasked(g, mask, n))) return found;
            }
            found.addFirst(m);
        }
    }

    /** The gradient of a rectifier; null for other ops. */
    private static Op mask(Op op) {
        return switch (op) {
            case Relu _ -> new ReluGrad();
            case Relu6 _ -> new Relu6Grad();
            default -> null;
        };
    }

    /** Whether a pool's gradient spreads only what a rectifier, read by the pool alone, lets through. */
    private static boolean isMasked(Node gradient, Op mask, Node pool) {
        Node d = gradient.input(2).node();
        return d.op().equals(mask) && d.input(1).equals(pool.edge(0));
    }
}
