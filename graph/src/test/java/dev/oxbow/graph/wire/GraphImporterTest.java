package dev.oxbow.graph.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NameAttrList;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.TensorShapeProto;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class GraphImporterTest {

    @Test
    void nodesMayComeInAnyOrder() {
        Graph g = GraphImporter.read(GraphDef.newBuilder()
                .addNode(identity("b", "a"))
                .addNode(identity("a", "x"))
                .addNode(placeholder("x"))
                .build());
        assertEquals("a", g.node("b").input(0).node().name());
        assertEquals(DType.F32, g.node("b").output(0).dtype());
    }

    @Test
    void everyUnknownOpIsReportedAtOnce() {
        GraphDef def = GraphDef.newBuilder()
                .addNode(NodeDef.newBuilder().setName("a").setOp("Frobnicate"))
                .addNode(NodeDef.newBuilder().setName("b").setOp("Frobnicate"))
                .addNode(NodeDef.newBuilder().setName("c").setOp("Quux"))
                .build();
        var e = assertThrows(OxbowException.class, () -> GraphImporter.read(def));
        assertEquals(ErrorCode.NOT_FOUND, e.code());
        assertEquals("GraphDef: 2 ops are not known here: {Frobnicate=2, Quux=1}", e.getMessage());
    }

    @Test
    void opsThatAreLeftOutByDecisionAreUnimplementedWithTheReason() {
        GraphDef.Builder def = GraphDef.newBuilder()
                .addNode(NodeDef.newBuilder().setName("a").setOp("BoostedTreesFlushQuantileSummaries"));
        var e = assertThrows(OxbowException.class, () -> GraphImporter.read(def.build()));
        assertEquals(ErrorCode.UNIMPLEMENTED, e.code());
        assertTrue(e.getMessage().contains("(BoostedTreesFlushQuantileSummaries: boosted trees are no dataflow"));
        def.addNode(NodeDef.newBuilder().setName("b").setOp("Frobnicate"));
        e = assertThrows(OxbowException.class, () -> GraphImporter.read(def.build()));
        assertEquals(ErrorCode.NOT_FOUND, e.code());
    }

    @Test
    void aCycleWithoutNextIterationIsNamed() {
        assertEquals(
                "GraphDef: a cycle without NextIteration holds 2 nodes, among them [a, b]",
                fails(identity("a", "b"), identity("b", "a")));
    }

    @Test
    void duplicateAndMissingNamesAndPortsAreNamed() {
        assertEquals("GraphDef: two nodes are named 'x'", fails(placeholder("x"), placeholder("x")));
        assertEquals(
                "GraphDef: node 'a' has input 'nowhere', but there is no node 'nowhere'",
                fails(identity("a", "nowhere")));
        assertEquals(
                "Graph: Connecting to invalid output 4 of source node x which has 1 outputs",
                fails(placeholder("x"), identity("a", "x:4")));
        assertEquals("GraphDef: node 0 (Identity) has no name", fails(identity("", "x")));
    }

    @Test
    void hugeOrContradictoryConstantsAreRefusedBeforeAllocation() {
        TensorProto huge = TensorProto.newBuilder()
                .setDtype(DataType.DT_FLOAT)
                .setTensorShape(TensorShapeProto.newBuilder()
                        .addDim(TensorShapeProto.Dim.newBuilder().setSize(1L << 40))
                        .addDim(TensorShapeProto.Dim.newBuilder().setSize(1L << 40)))
                .build();
        NodeDef constant = NodeDef.newBuilder()
                .setName("c")
                .setOp("Const")
                .putAttr("value", AttrValue.newBuilder().setTensor(huge).build())
                .putAttr(
                        "dtype",
                        AttrValue.newBuilder().setType(DataType.DT_FLOAT).build())
                .build();
        assertTrue(fails(constant).contains("(node c)"));
    }

    @Test
    void aWrongGraphFailsWithTheNodeItFailsAt() {
        NodeDef bad = NodeDef.newBuilder()
                .setName("s")
                .setOp("Switch")
                .addInput("x")
                .addInput("x")
                .build();
        assertEquals(
                "Input 1 of node s was passed float from x:0 incompatible with expected bool. (node s)",
                fails(placeholder("x"), bad));
    }

    @Test
    void anythingMutatedEitherImportsOrFailsWithACode() {
        byte[] good = GraphParser.serialise(GraphDef.newBuilder()
                .addNode(placeholder("x"))
                .addNode(identity("a", "x"))
                .addNode(identity("b", "a:0"))
                .addNode(NodeDef.newBuilder().setName("n").setOp("NoOp").addInput("^b"))
                .build());
        for (int seed = 0; seed < 3_000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = good.clone();
            for (int k = 1 + random.nextInt(4); k > 0; k--)
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            if (random.nextInt(4) == 0) bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
            try {
                GraphImporter.read(bytes);
            } catch (OxbowException e) {
                assertTrue(e.code() != ErrorCode.INTERNAL, "seed " + seed + ": " + e.getMessage());
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void anAttributeOfAnotherKindIsRefused() {
        AttrValue number = AttrValue.newBuilder().setI(3).build();
        AttrValue tensor = AttrValue.newBuilder()
                .setTensor(TensorProto.getDefaultInstance())
                .build();
        AttrValue none = AttrValue.getDefaultInstance();
        AttrValue numbers = AttrValue.newBuilder()
                .setList(AttrValue.ListValue.newBuilder().addI(1))
                .build();
        assertEquals(
                "attribute 'dtype' must be of kind type, got 3 (node x)",
                fails(placeholder("x").toBuilder().putAttr("dtype", number).build()));
        assertEquals(
                "attribute 'dtype' must be of kind type, got unset (node x)",
                fails(placeholder("x").toBuilder().putAttr("dtype", none).build()));
        assertTrue(fails(placeholder("x").toBuilder().putAttr("shape", tensor).build())
                .startsWith("attribute 'shape' must be of kind shape, got "));
        assertEquals(
                "attribute 'Tin' must be of kind list(type), got {1} (node c)",
                fails(call("c").putAttr("Tin", numbers).build()));
        assertEquals(
                "attribute 'Tin' must be of kind list(type), got 3 (node c)",
                fails(call("c").putAttr("Tin", number).build()));
    }

    @Test
    void anEmptyListMayBeNoValueAtAll() {
        NodeDef n = call("c").putAttr("Tin", AttrValue.getDefaultInstance()).build();
        assertEquals(
                0,
                GraphImporter.read(GraphDef.newBuilder().addNode(n).build())
                        .node("c")
                        .outputCount());
    }

    @Test
    void aShapeOfAnAttributeHasDimensionsAndARank() {
        AttrValue.Builder negative = AttrValue.newBuilder(), deep = AttrValue.newBuilder();
        negative.getShapeBuilder().addDimBuilder().setSize(-2);
        for (int i = 0; i < 255; i++) deep.getShapeBuilder().addDimBuilder().setSize(1);
        assertEquals(
                "TensorShapeProto: dim 0 must be >= -1, got -2 (node x)",
                fails(placeholder("x").toBuilder()
                        .putAttr("shape", negative.build())
                        .build()));
        assertEquals(
                "TensorShapeProto: rank must be at most 254, got 255 (node x)",
                fails(placeholder("x").toBuilder()
                        .putAttr("shape", deep.build())
                        .build()));
    }

    @Test
    void graphsForNewerReadersAreRefused() {
        GraphDef.Builder def = GraphDef.newBuilder();
        def.getVersionsBuilder().setProducer(3000).setMinConsumer(2999);
        assertEquals(
                "GraphDef min consumer version 2999 above current version 1882: it wants a newer reader",
                assertThrows(OxbowException.class, () -> GraphImporter.read(def.build()))
                        .getMessage());
        def.getVersionsBuilder().setMinConsumer(12).addBadConsumers(1881);
        GraphImporter.read(def.build());
        def.getVersionsBuilder().addBadConsumers(1882);
        var e = assertThrows(OxbowException.class, () -> GraphImporter.read(def.build()));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertTrue(e.getMessage().startsWith("GraphDef disallows consumer version 1882"), e.getMessage());
    }

    @Test
    void theScalarShapeOfAPlaceholderMeansUnknownInOldGraphs() {
        AttrValue scalar = AttrValue.newBuilder()
                .setShape(TensorShapeProto.getDefaultInstance())
                .build();
        GraphDef.Builder def =
                GraphDef.newBuilder().addNode(placeholder("x").toBuilder().putAttr("shape", scalar));
        def.getVersionsBuilder().setProducer(21);
        Graph old = GraphImporter.read(def.build());
        assertEquals(Shape.UNKNOWN, old.node("x").output(0).shape());
        GraphDef written = GraphExporter.write(old);
        assertEquals(Versions.CURRENT, written.getVersions().getProducer());
        assertEquals(
                Shape.UNKNOWN, GraphImporter.read(written).node("x").output(0).shape());
        def.getVersionsBuilder().setProducer(22);
        assertEquals(
                Shape.SCALAR,
                GraphImporter.read(def.build()).node("x").output(0).shape());
    }

    /** A Switch whose predicate is no scalar, which inference finds, with a reader. */
    private static GraphDef.Builder withInvalid() {
        AttrValue.Builder two = AttrValue.newBuilder();
        two.getShapeBuilder().addDimBuilder().setSize(2);
        return GraphDef.newBuilder()
                .addNode(placeholder("x"))
                .addNode(placeholder("p").toBuilder()
                        .putAttr(
                                "dtype",
                                AttrValue.newBuilder().setType(DataType.DT_BOOL).build())
                        .putAttr("shape", two.build()))
                .addNode(NodeDef.newBuilder()
                        .setName("bad")
                        .setOp("Switch")
                        .addInput("x")
                        .addInput("p")
                        .putAttr(
                                "T",
                                AttrValue.newBuilder()
                                        .setType(DataType.DT_FLOAT)
                                        .build())
                        .putAttr("_mark", AttrValue.newBuilder().setI(7).build()))
                .addNode(identity("y", "bad:1"))
                .addNode(identity("z", "x"));
    }

    @Test
    void aNodeThatFailsInferenceFailsTheRunsThatNeedIt() {
        Graph g = GraphImporter.read(withInvalid().build());
        assertEquals(DType.F32, g.node("y").output(0).dtype());
        assertEquals(
                3,
                Cut.run(g, List.of(), List.of(g.edge("z:0")), List.of()).graph().size());
        var e = assertThrows(OxbowException.class, () -> Cut.run(g, List.of(), List.of(g.edge("y:0")), List.of()));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertEquals("Switch: input 1 must be a scalar, got bool[2] (node bad)", e.getMessage());
        Cut.run(g, List.of(g.edge("bad:1")), List.of(g.edge("y:0")), List.of());
    }

    @Test
    void aNodeThatFailsInferenceIsWrittenAsItWasRead() {
        GraphDef def = withInvalid().build();
        GraphDef written = GraphExporter.write(GraphImporter.read(def));
        NodeDef bad = written.getNodeList().stream()
                .filter(n -> n.getName().equals("bad"))
                .findFirst()
                .orElseThrow();
        assertEquals(def.getNode(2), bad);
        assertEquals(written, GraphExporter.write(GraphImporter.read(written)));
    }

    @Test
    void aNodeThatFailsInferenceCannotBeBuilt() {
        Graph g = GraphImporter.read(withInvalid().build());
        assertThrows(OxbowException.class, () -> g.add(new Switch(), List.of(g.edge("x:0"), g.edge("p:0"))));
    }

    @Test
    void aLoopWithoutAnEntryIsRefused() {
        NodeDef.Builder merge =
                NodeDef.newBuilder().setName("m").setOp("Merge").addInput("n").addInput("n");
        NodeDef next = identity("n", "m").toBuilder().setOp("NextIteration").build();
        assertEquals("Merge: a loop needs an entry, all inputs are back edges (node m)", fails(merge.build(), next));
    }

    @Test
    void anEntryMayComeAfterItsBackEdge() {
        NodeDef.Builder merge =
                NodeDef.newBuilder().setName("m").setOp("Merge").addInput("n").addInput("x");
        NodeDef next = identity("n", "m").toBuilder().setOp("NextIteration").build();
        Graph g = GraphImporter.read(GraphDef.newBuilder()
                .addNode(merge)
                .addNode(next)
                .addNode(placeholder("x"))
                .build());
        assertEquals("n", g.node("m").input(0).node().name());
    }

    @Test
    void wrongReferencesInsideOfFunctionsAreNamed() {
        assertEquals("function f: 'i:output:z0' is not node:output:number (node c)", failsInFunction("i:output:z0"));
        assertEquals("function f: ':::' is not node:output:number (node c)", failsInFunction(":::"));
        assertEquals("function f: 'i' has no value 'i:output:1' (node c)", failsInFunction("i:output:1"));
        assertEquals("function f: 'i' has no value 'i:7' (node c)", failsInFunction("i:7"));
        assertEquals("function f: 'x' has no value 'x:1' (node c)", failsInFunction("x:1"));
    }

    private static String failsInFunction(String result) {
        return inFunction(function(result));
    }

    @Test
    void anUnknownTypeInTheSignatureOfAFunctionIsRefused() {
        FunctionDef.Builder f = function("i:output:0");
        f.getSignatureBuilder().getInputArgBuilder(0).setTypeValue(77);
        assertEquals("unknown dtype number 77 (node c)", inFunction(f));
    }

    @Test
    void aSignatureThatFollowsNoAttributeOfItsOwnIsRefused() {
        FunctionDef.Builder f = function("i:output:0");
        f.getSignatureBuilder().getOutputArgBuilder(0).setTypeAttr("T");
        assertEquals(
                "function f: 'y' follows attribute 'T', which must be of kind type, got none (node c)", inFunction(f));
    }

    private static FunctionDef.Builder function(String result) {
        FunctionDef.Builder f =
                FunctionDef.newBuilder().addNodeDef(identity("i", "x")).putRet("y", result);
        f.getSignatureBuilder().setName("f").addInputArgBuilder().setName("x").setType(DataType.DT_FLOAT);
        f.getSignatureBuilder().addOutputArgBuilder().setName("y").setType(DataType.DT_FLOAT);
        return f;
    }

    /** What a run that calls {@code f} fails with. */
    private static String inFunction(FunctionDef.Builder f) {
        GraphDef.Builder def = GraphDef.newBuilder()
                .addNode(placeholder("x"))
                .addNode(NodeDef.newBuilder().setName("c").setOp("f").addInput("x"));
        def.getLibraryBuilder().addFunction(f);
        return assertThrows(OxbowException.class, () -> {
                    Graph g = GraphImporter.read(def.build());
                    Cut.run(g, List.of(), List.of(), List.of(g.node("c")));
                })
                .getMessage();
    }

    private static NodeDef.Builder call(String name) {
        return NodeDef.newBuilder()
                .setName(name)
                .setOp("PartitionedCall")
                .putAttr(
                        "Tin",
                        AttrValue.newBuilder()
                                .setList(AttrValue.ListValue.getDefaultInstance())
                                .build())
                .putAttr(
                        "Tout",
                        AttrValue.newBuilder()
                                .setList(AttrValue.ListValue.getDefaultInstance())
                                .build())
                .putAttr(
                        "f",
                        AttrValue.newBuilder()
                                .setFunc(NameAttrList.newBuilder().setName("nowhere"))
                                .build());
    }

    private static NodeDef placeholder(String name) {
        return NodeDef.newBuilder()
                .setName(name)
                .setOp("Placeholder")
                .putAttr(
                        "dtype",
                        AttrValue.newBuilder().setType(DataType.DT_FLOAT).build())
                .build();
    }

    private static NodeDef identity(String name, String input) {
        return NodeDef.newBuilder()
                .setName(name)
                .setOp("Identity")
                .addInput(input)
                .putAttr("T", AttrValue.newBuilder().setType(DataType.DT_FLOAT).build())
                .build();
    }

    private static String fails(NodeDef... nodes) {
        GraphDef.Builder def = GraphDef.newBuilder();
        for (NodeDef n : nodes) def.addNode(n);
        return assertThrows(OxbowException.class, () -> GraphImporter.read(def.build()))
                .getMessage();
    }
}
