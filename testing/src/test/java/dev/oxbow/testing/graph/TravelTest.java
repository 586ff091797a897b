package dev.oxbow.testing.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.RendezvousKey;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Terminals;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.compile.DeviceProgram;
import dev.oxbow.runtime.compile.GlobalCompiler;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.LocalCompiler;
import dev.oxbow.runtime.compile.Part;
import dev.oxbow.runtime.compile.Region;
import dev.oxbow.runtime.compile.Stages;
import dev.oxbow.runtime.plan.ForeseenKernels;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GraphDef;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What travels between tasks: keys, parts with the shapes of what they receive, the functions that they need. */
final class TravelTest {
    private static final SessionOptions OPTIONS = SessionOptions.defaults();
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    @Test
    void aKeyIsWrittenAndReadAsTensorFlowDoes() {
        String device = "/job:worker/replica:0/task:1/device:CPU:0";
        var key = new RendezvousKey(device, 0xff, device, "edge_5_x", RendezvousKey.frame(0, 3, "loop"), 7);
        assertEquals(device + ";00000000000000ff;" + device + ";edge_5_x;12250576138533022744:7", key.toString());
        assertEquals(key, RendezvousKey.parse(key.toString()));
        for (String bad :
                List.of("", "a;b", device + ";ff;" + device + ";x;0:0", device + ";00000000000000fg;d;x;0:0")) {
            OxbowException e = assertThrows(OxbowException.class, () -> RendezvousKey.parse(bad));
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        }
    }

    @Test
    void aPartThatTravelledIsCompiledAsTheOneThatStayed() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(8, 4));
        Parameter w = Parameter.of("w", ops.constant(Tensor.zeros(DType.F32, Shape.of(4, 4))));
        Value h, y;
        try (var _ = graph.device("cpu:1")) {
            h = x.matMul(w.value()).tanh().times(2);
        }
        try (var _ = graph.device("cpu:0")) {
            y = h.exp().plus(1).sum();
        }
        Subgraph cut = Cut.run(graph, List.of(x.edge()), List.of(y.edge()), List.of());
        try (Engine engine = new Engine(EngineOptions.defaults().withCpuDevices(2))) {
            var global = new GlobalCompiler(
                    engine.devices().stream().map(Device::spec).toList(), (d, op) -> true, OPTIONS);
            List<Part> parts = global.compile(cut, new Stages(OPTIONS::service, null));
            assertEquals(2, parts.size());
            for (Part p : parts) {
                Device d = engine.devices().stream()
                        .filter(o -> o.spec().equals(p.device()))
                        .findAny()
                        .orElseThrow();
                Graph copy = GraphImporter.read(
                        GraphExporter.writeReachable(p.graph().graph()));
                Part travelled = new Part(p.device(), new Subgraph(copy, copy.sinks()));
                assertEquals(shape(compiled(p, d)), shape(compiled(travelled, d)));
                for (Node n : copy.nodes())
                    if (n.op() instanceof Recv) assertTrue(n.output(0).shape().isFullyKnown());
            }
        }
    }

    private static DeviceProgram compiled(Part p, Device d) {
        return LocalCompiler.compile(p, d, OPTIONS, ForeseenKernels::of, new Stages(OPTIONS::service, null));
    }

    /** The instructions of each region with the types of their outputs. */
    private static List<List<String>> shape(DeviceProgram p) {
        List<List<String>> regions = new ArrayList<>();
        for (Region r : p.root().regions()) {
            List<String> lines = new ArrayList<>();
            for (Instruction i : r.instructions()) lines.add(i.node.op() + " -> " + i.node.outputs());
            regions.add(lines);
        }
        return regions;
    }

    @Test
    void whatAClientFeedsByReceivesBecomesAnArgumentInOneRegion() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(3)), y = x.tanh().plus(x.exp());
        Subgraph partial = Cut.partial(graph, List.of(x.edge()), List.of(y.edge()), List.of());
        Subgraph s = new Terminals(List.of("feed:0"), List.of("fetch:0")).run(partial, OPTIONS::service);
        assertFalse(s.graph().nodes().stream().anyMatch(n -> n.op() instanceof Recv));
        Node arg = s.graph().nodes().stream()
                .filter(n -> n.op() instanceof Arg)
                .findAny()
                .orElseThrow();
        assertEquals(DType.F32, arg.output(0).dtype());
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            Device d = engine.devices().getFirst();
            assertEquals(1, compiled(new Part(d.spec(), s), d).root().regions().size());
            assertEquals(
                    2, compiled(new Part(d.spec(), partial), d).root().regions().size());
        }
    }

    @Test
    void onlyFunctionsThatNodesLeadToTravel() {
        GraphDef.Builder given = GraphDef.newBuilder()
                .addNode(Graphs.placeholder("x", DataType.DT_FLOAT))
                .addNode(Graphs.call("y", "used", "x"));
        given.getLibraryBuilder()
                .addFunction(Graphs.function("used", "c:output:0", Graphs.call("c", "helper", "x")))
                .addFunction(negative("helper"))
                .addFunction(negative("unused"));
        Graph with = GraphImporter.read(given.build());
        GraphDef def = GraphExporter.writeReachable(with);
        List<String> names = def.getLibrary().getFunctionList().stream()
                .map(f -> f.getSignature().getName())
                .sorted()
                .toList();
        assertEquals(List.of("helper", "used"), names);
        assertEquals(3, GraphExporter.write(with).getLibrary().getFunctionCount());
    }

    private static FunctionDef.Builder negative(String name) {
        var type = Graphs.type(DataType.DT_FLOAT);
        return Graphs.function(name, "n:y:0", Graphs.node("Neg", "n", "x").putAttr("T", type));
    }

    @Test
    void anExtensionThatFailsLeavesTheGraphAsItWas() {
        ops.constant(1f);
        int size = graph.size();
        Graph more = new Graph();
        Value a = Ops.in(more).constant(2f);
        a.exp();
        GraphDef def = GraphExporter.write(more);
        GraphDef bad = def.toBuilder()
                .addNode(def.getNode(1).toBuilder().setName("last").clearInput().addInput("missing"))
                .build();
        assertThrows(OxbowException.class, () -> GraphImporter.extend(graph, bad));
        assertEquals(size, graph.size());
        GraphImporter.extend(graph, rename(def));
        assertEquals(size + 2, graph.size());
    }

    private static GraphDef rename(GraphDef def) {
        GraphDef.Builder b = def.toBuilder();
        for (int i = 0; i < b.getNodeCount(); i++) {
            b.getNodeBuilder(i).setName("more/" + b.getNode(i).getName());
            for (int k = 0; k < b.getNode(i).getInputCount(); k++)
                b.getNodeBuilder(i).setInput(k, "more/" + b.getNode(i).getInput(k));
        }
        return b.build();
    }
}
