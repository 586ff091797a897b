package dev.oxbow.ops.gradient;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.StatefulPartitionedCall;
import dev.oxbow.ops.FunctionBuilder;
import dev.oxbow.ops.Functions;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

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
                start.add(dy == null ? Filled.ones(y) : dy);
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

    /**
     * Makes the gradient of a library function a function of the library: it takes the arguments and the gradients of
     * the results, and gives the gradients of the arguments. A gradient that the library names is taken as it is.
     */
    public static void function(FunctionLibrary library, FunctionRef f) {
        String name = functionRef(f).name();
        if (!library.has(f.name()) || library.has(name)) return;
        Function function = library.get(f);
        if (function == null) return;
        Functions.Copy copy = new Functions.Copy(function);
        Graph g = copy.graph;
        List<Node> arguments = new ArrayList<>(copy.arguments);
        List<Edge> results = new ArrayList<>();
        String given = library.gradient(f.name());
        FunctionBuilder.apart(() -> {
            List<Value> dys = new ArrayList<>();
            for (Edge r : copy.results)
                dys.add(Value.of(copy.argument("dy_" + dys.size(), r.type().deref())));
            List<Edge> xs = arguments.stream().map(a -> a.edge(0)).toList();
            if (given != null) {
                List<Edge> all = new ArrayList<>(xs);
                dys.forEach(d -> all.add(d.edge()));
                FunctionRef ref = new FunctionRef(given, f.attributes());
                Function gradient = library.get(ref);
                List<DType> types = Functions.dtypes(gradient == null ? xs : gradient.results());
                Node call = g.add(new StatefulPartitionedCall(types, ref), all);
                for (int i = 0; i < call.outputCount(); i++) results.add(call.edge(i));
                return null;
            }
            List<Value> dxs = new Backprop(g, g, name, Value::of).run(copy.results, dys, xs);
            for (int i = 0; i < dxs.size(); i++)
                results.add((dxs.get(i) != null ? dxs.get(i) : Filled.zeros(Value.of(xs.get(i)))).edge());
            return null;
        });
        if (!library.has(name)) library.add(Functions.of(g, name, copy.arguments, results, List.of()));
    }

    /** The name that {@link #function} gives to the gradient of a function. */
    public static FunctionRef functionRef(FunctionRef f) {
        String attributes = f.attributes().isEmpty() ? "" : new TreeMap<>(f.attributes()).toString();
        return new FunctionRef("SymbolicGradient_" + f.name() + attributes);
    }
}
