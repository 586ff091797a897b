package dev.oxbow.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.TensorShapeProto;
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
                "Graph: node 'x' has 1 outputs, there is no output 4", fails(placeholder("x"), identity("a", "x:4")));
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
        assertEquals("Switch: input 1 'pred' must be bool, got f32 (node s)", fails(placeholder("x"), bad));
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
            if (random.nextInt(4) == 0) bytes = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length));
            try {
                GraphImporter.read(bytes);
            } catch (OxbowException e) {
                assertTrue(e.code() != ErrorCode.INTERNAL, "seed " + seed + ": " + e.getMessage());
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
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
