package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reverse-mode differentiation: extends a graph by the nodes that compute gradients, which can be differentiated again. */
public final class Gradients {
    private Gradients() {}

    /** The gradients of the sum of all elements of {@code y}; null where {@code y} does not depend on an x. */
    public static List<Value> of(Value y, Value... xs) {
        return of(List.of(y), Arrays.asList(xs), null);
    }

    /** The gradients of the sum of all elements of all {@code ys}; null where nothing connects. */
    public static List<Value> of(List<Value> ys, List<Value> xs) {
        return of(ys, xs, null);
    }

    /**
     * The gradient {@code sum(dy * dy/dx)} for each x, starting from {@code dys} (ones where it, or an element, is
     * null). A gradient is null where nothing connects, and {@link Slices} where only some rows are touched. An x may
     * be a variable's handle.
     */
    public static List<Value> of(List<Value> ys, List<Value> xs, List<Value> dys) {
        require(!ys.isEmpty(), INVALID_ARGUMENT, "Gradients: there is no value to differentiate");
        require(
                dys == null || dys.size() == ys.size(),
                INVALID_ARGUMENT,
                "Gradients: there are %d values but %d gradients of them",
                ys.size(),
                dys == null ? 0 : dys.size());
        Graph graph = FunctionBuilder.local(ys.get(0)).node().graph();
        List<Edge> from = edges(graph, ys), to = edges(graph, xs);
        try (Graph.Scope _ = graph.scope("gradients")) {
            List<Value> start = new ArrayList<>();
            for (int i = 0; i < ys.size(); i++) {
                Value y = ys.get(i), dy = dys == null ? null : dys.get(i);
                require(
                        dy == null || dy.dtype() == y.dtype(),
                        INVALID_ARGUMENT,
                        "Gradients: the gradient of %s is %s",
                        y,
                        dy);
                start.add(dy == null ? Fills.ones(y) : dy);
            }
            return new Backprop(graph, graph, "gradients_" + graph.size(), Value::of).run(from, start, to);
        }
    }

    private static List<Edge> edges(Graph graph, List<Value> values) {
        List<Edge> edges = new ArrayList<>();
        for (Value v : values) {
            Edge e = FunctionBuilder.local(v);
            require(e.node().graph() == graph, INVALID_ARGUMENT, "Gradients: %s belongs to another graph", v);
            edges.add(e);
        }
        return edges;
    }
}
