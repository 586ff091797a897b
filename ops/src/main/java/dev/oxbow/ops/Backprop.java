package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.RefIdentity;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** One backward sweep over {@code forward}, building gradients in {@code target}, which may be the same graph. */
final class Backprop {

    /*
     * Nodes behind the ys are put in an order in which each follows its inputs (a depth-first search with its own
     * stack). Going through it once forwards finds the nodes that depend on an x by differentiable values; going
     * through those once backwards, all consumers of a node have given their gradients before the node's own gradient
     * is asked for. Where forward and target differ (loop bodies, branches, functions), a forward value is brought
     * into the target by {@code capture}.
     */

    private final Graph forward;
    private final Graph target;
    private final Function<Edge, Value> capture;
    private final String sweep;
    private final Map<Edge, List<Value>> gradients = new HashMap<>();
    private Set<Edge> xs;
    private boolean[] dependent;

    Backprop(Graph forward, Graph target, String sweep, Function<Edge, Value> capture) {
        this.sweep = sweep;
        this.forward = forward;
        this.target = target;
        this.capture = capture;
    }

    /** The gradient of each x, null where nothing connects; a null dy stands for zeros. */
    List<Value> run(List<Edge> ys, List<Value> dys, List<Edge> wanted) {
        xs = new HashSet<>(wanted);
        dependent = new boolean[forward.size()];
        List<Node> order = order(ys);
        for (Node n : order) dependent[n.id()] = dependsOnXs(n);
        for (int i = 0; i < dys.size(); i++) give(ys.get(i), dys.get(i));
        for (int i = order.size() - 1; i >= 0; i--) {
            Node n = order.get(i);
            if (dependent[n.id()]) differentiate(n);
        }
        List<Value> results = new ArrayList<>();
        for (Edge x : wanted) results.add(sum(x));
        return results;
    }

    /** Whether gradients flow along values of this dtype; handles stand for what is behind them. */
    static boolean isDifferentiable(DType t) {
        return t.isFloating() || t.isComplex() || t == DType.RESOURCE || t == DType.VARIANT;
    }

    // ---- which nodes

    private static List<Node> order(List<Edge> ys) {
        List<Node> order = new ArrayList<>(), stack = new ArrayList<>();
        List<int[]> next = new ArrayList<>();
        Set<Node> seen = new HashSet<>();
        for (Edge y : ys) {
            if (!seen.add(y.node())) continue;
            stack.add(y.node());
            next.add(new int[1]);
            while (!stack.isEmpty()) {
                Node n = stack.get(stack.size() - 1);
                int[] at = next.get(next.size() - 1);
                if (at[0] == n.inputCount()) {
                    order.add(n);
                    stack.remove(stack.size() - 1);
                    next.remove(next.size() - 1);
                    continue;
                }
                Node input = n.input(at[0]++).node();
                if (seen.add(input)) {
                    stack.add(input);
                    next.add(new int[1]);
                }
            }
        }
        return order;
    }

    private boolean dependsOnXs(Node n) {
        if (n.op() instanceof NotDifferentiable) return false;
        for (Edge e : n.inputs()) if (dependsOnXs(e)) return true;
        return false;
    }

    private boolean dependsOnXs(Edge e) {
        return isDifferentiable(e.type().dtype()) && (dependent[e.node().id()] || xs.contains(e));
    }

    // ---- one node

    private void differentiate(Node n) {
        boolean any = false;
        for (int i = 0; i < n.outputCount(); i++) any |= gradients.containsKey(n.edge(i));
        if (!any) return;
        try (Graph.Scope _ = target.scope(n.name() + "_grad");
                Graph.Scope _ = target.device(n.device())) {
            List<Value> dxs = switch (n.op()) {
                case Differentiable op -> op.gradient(new Context(n));
                case CoreOp op -> core(n);
                default -> throw missing(n);
            };
            require(
                    dxs.size() == n.inputCount(),
                    INTERNAL,
                    "%s: gives %d gradients for %d inputs (node %s)",
                    n.op().signature().name(),
                    dxs.size(),
                    n.inputCount(),
                    n);
            for (int i = 0; i < dxs.size(); i++) if (dependsOnXs(n.input(i))) give(n.input(i), dxs.get(i));
        }
    }

    private List<Value> core(Node n) {
        Context g = new Context(n);
        return switch (n.op()) {
            case Identity op -> List.of(g.gradient(0));
            case RefIdentity op -> List.of(g.gradient(0));
            default -> throw missing(n);
        };
    }

    private static RuntimeException missing(Node n) {
        Op op = n.op();
        return new dev.oxbow.tensor.OxbowException(
                UNIMPLEMENTED,
                "Gradients: the gradient of %s is not written (node %s)"
                        .formatted(op.signature().name(), n));
    }

    // ---- gradients of edges

    private void give(Edge e, Value gradient) {
        if (gradient == null) return;
        DType t = gradient.dtype(), wanted = e.type().dtype();
        require(
                t == wanted || wanted == DType.RESOURCE,
                INTERNAL,
                "Gradients: the gradient of %s is %s, the value is %s",
                e,
                t,
                e.type());
        gradients.computeIfAbsent(e, k -> new ArrayList<>(2)).add(gradient);
    }

    /** The sum of what came back to an edge; null when nothing did. */
    private Value sum(Edge e) {
        List<Value> all = gradients.get(e);
        if (all == null) return null;
        if (all.size() > 1) {
            Value total = sum(all);
            all.clear();
            all.add(total);
        }
        return all.get(0);
    }

    private static Value sum(List<Value> all) {
        List<Slices> sparse = new ArrayList<>();
        for (Value v : all) if (v instanceof Slices s) sparse.add(s);
        if (sparse.size() == all.size()) return Slices.concat(sparse);
        return Value.apply(new AddN(), all.toArray(Value[]::new));
    }

    private final class Context implements GradientContext {
        private final Node node;

        Context(Node node) {
            this.node = node;
        }

        @Override
        public Node node() {
            return node;
        }

        @Override
        public Graph graph() {
            return target;
        }

        @Override
        public Value input(int i) {
            return capture.apply(node.input(i));
        }

        @Override
        public Value output(int i) {
            return capture.apply(node.edge(i));
        }

        @Override
        public Value gradient(int i) {
            Value dy = sum(node.edge(i));
            return dy != null ? dy : Fills.zeros(output(i));
        }

        @Override
        public String sweep() {
            return sweep;
        }

        @Override
        public boolean hasGradient(int i) {
            return gradients.containsKey(node.edge(i));
        }
    }
}
