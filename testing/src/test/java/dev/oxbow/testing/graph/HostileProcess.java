package dev.oxbow.testing.graph;

import static dev.oxbow.testing.graph.Graphs.call;
import static dev.oxbow.testing.graph.Graphs.constant;
import static dev.oxbow.testing.graph.Graphs.function;
import static dev.oxbow.testing.graph.Graphs.integer;
import static dev.oxbow.testing.graph.Graphs.node;
import static dev.oxbow.testing.graph.Graphs.placeholder;
import static dev.oxbow.testing.graph.Graphs.tensor;
import static dev.oxbow.testing.graph.Graphs.type;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A process of its own with little memory, which imports, explains and runs small graphs that ask for much. Of each it
 * prints a name, the bytes of the graph, the end (a code, or "result"), milliseconds and the most native bytes so far.
 */
final class HostileProcess {
    private HostileProcess() {}

    /** The graphs by name; the first is harmless, so that its time is that of loading classes. */
    private static Map<String, GraphDef> graphs() {
        Map<String, GraphDef> all = new LinkedHashMap<>();
        NodeDef.Builder axis = constant("axis", tensor(DataType.DT_INT32).addIntVal(0)),
                x = constant("x", tensor(DataType.DT_FLOAT, 2).addFloatVal(1));
        for (int n : List.of(2, Integer.MAX_VALUE, 60_000))
            all.put(
                    "split-" + n,
                    graph(List.of(
                            axis,
                            x,
                            node("Split", "s", "axis", "x")
                                    .putAttr("num_split", integer(n))
                                    .putAttr("T", type(DataType.DT_FLOAT)))));
        all.put("strings", graph(List.of(constant("c", tensor(DataType.DT_STRING, 200_000_000)))));
        all.put(
                "floats",
                graph(List.of(
                        constant("c", tensor(DataType.DT_FLOAT, 1 << 20, 400).addFloatVal(1)))));
        List<NodeDef.Builder> eight = new ArrayList<>();
        for (int i = 0; i < 8; i++)
            eight.add(constant("c" + i, tensor(DataType.DT_FLOAT, 1 << 20, 400).addFloatVal(1)));
        all.put("eight-floats", graph(eight));
        for (int levels : List.of(16, 22)) all.put("doubled-" + levels, doubled(levels));
        all.put("shapes", graph(shapes()));
        return all;
    }

    static GraphDef graph(List<NodeDef.Builder> nodes) {
        GraphDef.Builder def = GraphDef.newBuilder();
        nodes.forEach(def::addNode);
        return def.build();
    }

    /** {@code f0} calls {@code f1} twice, and so on. */
    static GraphDef doubled(int levels) {
        GraphDef.Builder def = GraphDef.newBuilder();
        for (int i = 0; i < levels - 1; i++)
            def.getLibraryBuilder()
                    .addFunction(function(
                            "f" + i,
                            "b:output:0",
                            call("a", "f" + (i + 1), "x"),
                            call("b", "f" + (i + 1), "a:output:0")));
        def.getLibraryBuilder()
                .addFunction(function(
                        "f" + (levels - 1), "n:y:0", node("Neg", "n", "x").putAttr("T", type(DataType.DT_FLOAT))));
        return def.addNode(placeholder("x", DataType.DT_FLOAT))
                .addNode(call("y", "f0", "x"))
                .build();
    }

    /** How shapes of a million dimensions are reduced to each other. */
    private static List<NodeDef.Builder> shapes() {
        return List.of(
                constant("a", tensor(DataType.DT_INT32, 1_000_000).addIntVal(1)),
                constant("b", tensor(DataType.DT_INT32, 1_000_000).addIntVal(1)),
                node("BroadcastGradientArgs", "r", "a", "b").putAttr("T", type(DataType.DT_INT32)));
    }

    public static void main(String[] arguments) {
        graphs().forEach((name, def) -> {
            byte[] bytes = def.toByteArray();
            long start = System.nanoTime();
            String end;
            long[] device = {0};
            try {
                use(bytes, device);
                end = "result";
            } catch (OxbowException e) {
                end = e.code().name();
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
            System.out.printf(
                    "%s %d %s %d %d%n",
                    name,
                    bytes.length,
                    end,
                    (System.nanoTime() - start) / 1_000_000,
                    MemoryPool.shared().peakBytes() + device[0]);
        });
    }

    private static void use(byte[] bytes, long[] device) throws InvalidProtocolBufferException {
        Graph g = GraphImporter.read(GraphDef.parseFrom(bytes));
        List<Edge> fetches = new ArrayList<>();
        for (Node n : g.sinks()) fetches.add(n.edge(0));
        try (Engine engine = new Engine(EngineOptions.defaults().withThreads(2))) {
            try (Session s = Session.open(g, engine)) {
                s.explain(List.of(), fetches, List.of(), false);
                Session.Run run = s.fetch(fetches.toArray(Edge[]::new));
                for (Node n : g.nodes())
                    if (n.op().signature().name().equals("Placeholder")) run.feed(n.edge(0), Tensor.scalar(1f));
                try (Results r = run.run()) {
                    if (r.size() != fetches.size()) throw new AssertionError(r);
                }
            } finally {
                for (Device d : engine.devices()) device[0] += d.memory().peakBytes();
            }
        }
    }
}
