package dev.oxbow.graph.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Limits;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Reads GraphDefs, of TensorFlow or our own, into graphs. */
public final class GraphImporter {
    private GraphImporter() {}

    /** The graph in these bytes; anything wrong with them is an error with a stable code. */
    public static Graph read(byte[] graphDef) {
        return read(GraphParser.parse(graphDef));
    }

    public static Graph read(GraphDef def) {
        return read(def, Limits.defaults());
    }

    /** As {@link #read(GraphDef)}, refusing a graph that asks for more than {@code limits}. */
    public static Graph read(GraphDef def, Limits limits) {
        Graph g = new Graph(new FunctionLibrary(limits));
        extend(g, def);
        return g;
    }

    /**
     * Adds the nodes and functions of {@code given} to a graph that holds their inputs already or gets them now; all of
     * them or, when one is wrong, none.
     */
    public static void extend(Graph g, GraphDef given) {
        g.atomically(() -> add(g, given));
    }

    private static void add(Graph g, GraphDef given) {
        GraphDef def = Versions.current(given);
        Map<String, Integer> missing = missingOps(def, g.functions());
        if (!missing.isEmpty()) throw MissingOps.error(missing.keySet(), missing);
        for (FunctionDef f : def.getLibrary().getFunctionList()) g.functions().add(new WireFunction(f));
        def.getLibrary()
                .getGradientList()
                .forEach(d -> g.functions().addGradient(d.getFunctionName(), d.getGradientFunc()));
        new NodeReader(g, new Inputs(g), Map.of()).read(def.getNodeList());
    }

    /** Every op in the graph or its functions that no provider has, with the number of nodes. */
    public static Map<String, Integer> missingOps(GraphDef def) {
        return missingOps(def, new FunctionLibrary());
    }

    private static Map<String, Integer> missingOps(GraphDef def, FunctionLibrary library) {
        Set<String> known = new HashSet<>();
        def.getLibrary()
                .getFunctionList()
                .forEach(f -> known.add(f.getSignature().getName()));
        Map<String, Integer> missing = new TreeMap<>();
        for (NodeDef n : def.getNodeList()) count(n, known, library, missing);
        for (FunctionDef f : def.getLibrary().getFunctionList())
            for (NodeDef n : f.getNodeDefList()) count(n, known, library, missing);
        return missing;
    }

    private static void count(NodeDef n, Set<String> known, FunctionLibrary library, Map<String, Integer> missing) {
        if (!OpRegistry.get().has(n.getOp()) && !known.contains(n.getOp()) && !library.has(n.getOp()))
            missing.merge(n.getOp(), 1, Integer::sum);
    }

    private record Inputs(Graph graph) implements NodeReader.Inputs {
        @Override
        public Edge edge(String input) {
            return graph.edge(input);
        }

        @Override
        public String node(String input) {
            int colon = input.lastIndexOf(':');
            if (colon == input.length() - 1)
                throw new OxbowException(INVALID_ARGUMENT, "GraphDef: '%s' is not name:port".formatted(input));
            return colon < 0 ? input : input.substring(0, colon);
        }
    }
}
