package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Const;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.ops.GradientPush;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Puts sums of what is pushed where their last summand is made, so that a push travels while other gradients are computed. */
final class PushOrder {
    private final Set<Node> sums = new HashSet<>();
    private final Map<Node, List<Node>> consumers = new HashMap<>();
    private final Set<Node> done;
    private final List<Node> ordered = new ArrayList<>();

    private PushOrder(Set<Node> before, Collection<Node> nodes) {
        done = new HashSet<>(before);
        Deque<Node> left = new ArrayDeque<>();
        for (Node n : nodes) if (n.op() instanceof GradientPush) for (Edge e : n.inputs()) left.add(e.node());
        while (!left.isEmpty()) {
            Node n = left.pop();
            if (!isSum(n.op()) || !sums.add(n)) continue;
            for (Edge e : n.inputs()) {
                left.push(e.node());
                consumers.computeIfAbsent(e.node(), _ -> new ArrayList<>()).add(n);
            }
        }
    }

    private static boolean isSum(Op op) {
        return op instanceof AddV2 || op instanceof ReadVariableOp || op instanceof VarHandleOp || op instanceof Const;
    }

    /** The same nodes, each behind what it needs; {@code before} are there already. */
    static List<Node> of(Set<Node> before, Collection<Node> nodes) {
        PushOrder o = new PushOrder(before, nodes);
        for (Node n : nodes) if (o.sums.contains(n) && n.inputCount() == 0) o.put(n);
        nodes.forEach(o::put);
        return o.ordered;
    }

    private void put(Node first) {
        Deque<Node> left = new ArrayDeque<>(List.of(first));
        while (!left.isEmpty()) {
            Node n = left.pop();
            if (!done.add(n)) continue;
            ordered.add(n);
            for (Node c : consumers.getOrDefault(n, List.of())) if (isReady(c)) left.add(c);
        }
    }

    private boolean isReady(Node n) {
        for (Edge e : n.inputs()) if (e.node().id() >= n.id() || !done.contains(e.node())) return false;
        return done.containsAll(n.controls());
    }
}
