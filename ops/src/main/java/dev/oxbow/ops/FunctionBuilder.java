package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A function being built. While its lambda runs, values of outer graphs that it uses become arguments ("captured"),
 * constants are copied.
 */
public final class FunctionBuilder {
    private static final ThreadLocal<FunctionBuilder> CURRENT = new ThreadLocal<>();

    private final Graph outerGraph;
    private final FunctionBuilder outer;
    private final Graph graph;
    private final List<Node> arguments = new ArrayList<>();
    private final List<Edge> captured = new ArrayList<>();
    private final Map<Edge, Value> inside = new HashMap<>();

    FunctionBuilder(Graph outerGraph) {
        this.outerGraph = outerGraph;
        this.outer = CURRENT.get();
        this.graph = new Graph(outerGraph.functions());
    }

    Graph graph() {
        return graph;
    }

    List<Node> arguments() {
        return arguments;
    }

    /** Edges of the outer graph that were captured, in the order of their arguments. */
    List<Edge> captured() {
        return captured;
    }

    Value argument(String name, TensorType type) {
        Node n = graph.argument(name, arguments.size(), type);
        arguments.add(n);
        return Value.of(n.edge(0));
    }

    /** What stands for an edge of an outer graph in this function. */
    Value capture(Edge e) {
        if (e.node().graph() == graph) return Value.of(e);
        Value v = inside.get(e);
        if (v != null) return v;
        if (e.node().op() instanceof Const c) {
            v = Value.of(graph.add(c, e.node().name(), List.of()).edge(0));
        } else {
            Edge near = e.node().graph() == outerGraph || outer == null
                    ? e
                    : outer.capture(e).edge();
            require(
                    near.node().graph() == outerGraph,
                    INVALID_ARGUMENT,
                    "%s belongs to a graph that does not enclose this function",
                    e);
            v = inside.get(near);
            if (v == null) {
                captured.add(near);
                v = argument("captured_" + captured.size(), near.type());
                inside.put(near, v);
            }
        }
        inside.put(e, v);
        return v;
    }

    /** Runs the lambda that builds the body; captures happen as it goes. */
    <T> T build(Supplier<T> body) {
        FunctionBuilder before = CURRENT.get();
        CURRENT.set(this);
        try {
            return body.get();
        } finally {
            if (before == null) CURRENT.remove();
            else CURRENT.set(before);
        }
    }

    /** Runs something that builds in graphs of its own, with no function current. */
    public static <T> T apart(Supplier<T> body) {
        FunctionBuilder before = CURRENT.get();
        CURRENT.remove();
        try {
            return body.get();
        } finally {
            if (before != null) CURRENT.set(before);
        }
    }

    /** The edge that an op should take for a value: the value itself, or what the function being built has for it. */
    public static Edge local(Value v) {
        FunctionBuilder b = CURRENT.get();
        Edge e = v.edge();
        return b == null ? e : b.capture(e).edge();
    }

    /** The finished function, added to the library under a name made unique. */
    Function finish(String name, List<Edge> results) {
        return Functions.add(graph, name, arguments, results, List.of());
    }

    /** The finished function, in no library. */
    Function unlisted(List<Edge> results) {
        return Functions.of(graph, "", arguments, results, List.of());
    }
}
