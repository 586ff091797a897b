package dev.oxbow.ops;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Making functions of the library from graphs, and graphs from functions. */
public final class Functions {
    private Functions() {}

    /** Adds a function with this body to its library, under a name made unique. */
    public static Function add(
            Graph body, String name, List<Node> arguments, List<Edge> results, List<Node> controlResults) {
        Function f = of(body, body.functions().unique(name), arguments, results, controlResults);
        body.functions().add(f);
        return f;
    }

    /** A function with this body, in no library. */
    public static Function of(
            Graph body, String name, List<Node> arguments, List<Edge> results, List<Node> controlResults) {
        List<String> argumentNames = new ArrayList<>(), resultNames = new ArrayList<>();
        for (Node a : arguments) argumentNames.add(a.name());
        for (int i = 0; i < results.size(); i++) resultNames.add("result_" + i);
        return new Function(
                name,
                body,
                List.copyOf(arguments),
                argumentNames,
                List.copyOf(results),
                resultNames,
                List.copyOf(controlResults),
                Map.of());
    }

    /** Results of a device where kernels of the host find them; takes over the references. */
    public static List<Tensor> onHost(List<Tensor> results) {
        List<Tensor> here = new ArrayList<>();
        for (Tensor t : results) {
            here.add(t.toHost());
            t.release();
        }
        return here;
    }

    public static FunctionRef ref(Function f) {
        return new FunctionRef(f.name());
    }

    public static List<DType> dtypes(List<Edge> edges) {
        return edges.stream().map(e -> e.type().dtype()).toList();
    }

    /** Whether any of them has an effect. */
    public static boolean isStateful(Function... functions) {
        for (Function f : functions) for (Node n : f.body().nodes()) if (n.op().effects() != Effects.NONE) return true;
        return false;
    }

    /** A copy of a function's body that can be extended, and what its edges have become. */
    public static final class Copy {
        public final Graph graph;
        public final List<Node> arguments = new ArrayList<>();
        public final List<Edge> results = new ArrayList<>();
        public final List<Node> controlResults = new ArrayList<>();

        /** A copy whose argument {@code i} is the original's {@code order[i]}, or a new one of type {@code i} where that is -1. */
        public Copy(Function f, int[] order, List<TensorType> types) {
            graph = new Graph(f.body().functions());
            Map<Edge, Edge> fixed = new HashMap<>();
            for (int i = 0; i < order.length; i++) {
                Node old = order[i] < 0 ? null : f.arguments().get(order[i]);
                Node a = old == null
                        ? graph.argument("unused_" + i, i, types.get(i))
                        : graph.argument(old.name(), i, old.output(0));
                arguments.add(a);
                if (old != null) fixed.put(old.edge(0), a.edge(0));
            }
            Map<Node, Node> nodes = copy(f.body(), graph, fixed, "", List.of());
            for (Edge r : f.results()) results.add(moved(r, nodes, fixed));
            for (Node c : f.controlResults()) controlResults.add(nodes.get(c));
        }

        public Copy(Function f) {
            this(
                    f,
                    IntStream.range(0, f.arguments().size()).toArray(),
                    f.arguments().stream().map(a -> a.output(0)).toList());
        }

        /** One argument more. */
        public Edge argument(String name, TensorType type) {
            Node a = graph.argument(name, arguments.size(), type);
            arguments.add(a);
            return a.edge(0);
        }

        public Function finish(String name) {
            return add(graph, name, arguments, results, controlResults);
        }
    }

    /** What stands for an edge after {@link #copy}. */
    public static Edge moved(Edge e, Map<Node, Node> nodes, Map<Edge, Edge> fixed) {
        Edge f = fixed.get(e);
        return f != null ? f : nodes.get(e.node()).edge(e.port());
    }

    /**
     * Copies all nodes but those whose outputs are {@code fixed} (a function's arguments); nodes without inputs run
     * after {@code gate}. Returns the copy of each node.
     */
    public static Map<Node, Node> copy(Graph from, Graph to, Map<Edge, Edge> fixed, String prefix, List<Node> gate) {
        Map<Node, Node> copies = new HashMap<>();
        List<Node> loops = new ArrayList<>();
        for (Node n : from.nodes()) {
            if (n.outputCount() == 1 && fixed.containsKey(n.edge(0))) continue;
            List<Edge> inputs = new ArrayList<>();
            for (Edge e : n.inputs()) {
                boolean back = e.node().id() >= n.id();
                inputs.add(back ? null : moved(e, copies, fixed));
                if (back) loops.add(n);
            }
            List<Node> controls = new ArrayList<>();
            for (Node c : n.controls()) {
                Node copy = copies.get(c);
                if (copy != null) controls.add(copy);
                else if (c.outputCount() == 1 && fixed.containsKey(c.edge(0)))
                    controls.add(fixed.get(c.edge(0)).node());
            }
            if (inputs.isEmpty() && controls.isEmpty()) controls.addAll(gate);
            copies.put(
                    n,
                    to.copy(
                            n,
                            new NodeSpec(
                                    to.unique(prefix + n.name()), n.op(), inputs, controls, n.device(), n.extras())));
        }
        for (Node n : loops) {
            Node copy = copies.get(n);
            for (int i = 0; i < n.inputCount(); i++)
                if (copy.input(i) == null) to.connectBack(copy, i, moved(n.input(i), copies, fixed));
        }
        return copies;
    }
}
