package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Takes the maximum over windows before a bias is added and before rectifying, so that these have fewer elements. */
public final class PoolFirst {

    /*
     * Neither ever falls, rounding included, so max(f(x)) = f(max(x)) bit for bit where values are finite. The gradient
     * of the pool then looks for the largest element of x. It finds the same one, or one of several that rounding made
     * equal; those that the rectifier made equal get no gradient, because it has been masked by then.
     */

    private final Readers readers;
    private final Map<Edge, List<Node>> gradients = new HashMap<>();

    private PoolFirst(Subgraph s) {
        readers = new Readers(s);
        for (Node n : s.graph().nodes()) {
            if (n.isNamed("MaxPoolGrad"))
                gradients.computeIfAbsent(n.input(1), e -> new ArrayList<>()).add(n);
        }
    }

    public static Subgraph run(Subgraph given) {
        Subgraph s = SpreadLast.run(given);
        PoolFirst pass = new PoolFirst(s);
        Map<Node, List<Node>> after = new HashMap<>();
        Map<Node, Node> pools = new HashMap<>();
        Set<Node> dropped = new HashSet<>();
        for (Node n : s.graph().nodes()) {
            if (!n.isNamed("MaxPool")) continue;
            List<Node> moved = pass.movable(n);
            if (moved.isEmpty()) continue;
            after.put(n, moved);
            dropped.addAll(moved);
            for (Node g : pass.gradients(n)) pools.put(g, n);
        }
        return after.isEmpty() ? s : rewrite(s, after, pools, dropped);
    }

    private List<Node> gradients(Node pool) {
        return gradients.getOrDefault(pool.edge(0), List.of());
    }

    /** What can run after a pool instead of before it, in order. */
    private List<Node> movable(Node pool) {
        List<Node> found = new ArrayList<>();
        DType t = pool.output(0).dtype();
        Map<String, Object> window = pool.op().attributes();
        if ((t != DType.F32 && t != DType.F64) || window.get("strides").equals(List.of(1L, 1L, 1L, 1L))) return found;
        boolean perChannel = SpreadLast.isPerChannel(pool);
        for (Node n = pool.input(0).node(); ; n = n.input(0).node()) {
            boolean rectifier = n.isNamed("Relu");
            boolean bias = perChannel
                    && n.isNamed("BiasAdd")
                    && n.op().attributes().get("data_format").equals("NHWC");
            if (!rectifier && !bias || !Readers.areTogether(n, pool)) return found;
            if (found.isEmpty() ? !feedsOnly(n, pool, rectifier) : !readers.areAll(1, n)) return found;
            found.addFirst(n);
        }
    }

    /** Whether only a pool and its gradients read a value; a rectifier's must not go to elements that are not positive. */
    private boolean feedsOnly(Node n, Node pool, boolean rectifier) {
        for (Node g : gradients(pool)) {
            Node d = g.input(2).node();
            boolean masked = d.isNamed("ReluGrad") && d.input(1).equals(pool.edge(0));
            if (!g.input(0).equals(n.edge(0)) || rectifier && !masked) return false;
        }
        return readers.areAll(1 + gradients(pool).size(), n);
    }

    private static Subgraph rewrite(Subgraph s, Map<Node, List<Node>> after, Map<Node, Node> pools, Set<Node> dropped) {
        Graph from = s.graph();
        Rewriter w = new Rewriter(from, new Graph(from.functions()));
        Map<Node, Node> made = new HashMap<>();
        for (Node n : from.nodes()) {
            if (dropped.contains(n)) continue;
            List<Edge> inputs = w.inputs(n);
            if (pools.containsKey(n)) {
                Node pool = pools.get(n);
                inputs.set(0, w.edge(after.get(pool).getFirst().input(0)));
                inputs.set(1, made.get(pool).edge(0));
            }
            List<Node> moved = after.getOrDefault(n, List.of());
            if (!moved.isEmpty()) inputs.set(0, w.edge(moved.getFirst().input(0)));
            Node last = w.copy(n, new NodeSpec(n.name(), n.op(), inputs, w.controls(n), n.device(), n.extras()));
            made.put(n, last);
            for (Node m : moved) {
                List<Edge> in = w.inputs(m);
                in.set(0, last.edge(0));
                last = w.out().derive(m, new NodeSpec(m.name(), m.op(), in, w.controls(m), m.device(), m.extras()));
            }
            w.replace(n, last, last);
        }
        w.connectBack();
        return new Subgraph(w.out(), s.roots().stream().map(w::node).toList());
    }
}
