package dev.oxbow.testing.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.graph.wire.LaterAttributes;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Attributes that TensorFlow 2.0 does not know are not told to it where they say nothing. */
final class LaterAttributesTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(2, 2));

    @Test
    void theyAreLeftOutWithTheirDefaultAndComeBack() {
        x.matMul(x, false, true);
        GraphDef whole = GraphExporter.write(graph), less = LaterAttributes.leftOut(whole);
        NodeDef product = less.getNode(1);
        assertEquals("MatMul", product.getOp());
        assertTrue(whole.getNode(1).containsAttr("grad_a"), "TensorFlow 2.0 does not know it");
        assertEquals(
                Set.of("T", "transpose_a", "transpose_b"), product.getAttrMap().keySet());
        assertEquals(whole, GraphExporter.write(GraphImporter.read(less)));
    }

    @Test
    void theyAreLeftOutOfFunctionsToo() {
        var twice = ops.function(
                "twice",
                List.of(new TensorType(DType.F32, Shape.of(2, 2))),
                v -> List.of(v.getFirst().matMul(v.getFirst())));
        ops.call(twice, x);
        GraphDef less = LaterAttributes.leftOut(GraphExporter.write(graph));
        NodeDef product = less.getLibrary().getFunction(0).getNodeDefList().stream()
                .filter(n -> n.getOp().equals("MatMul"))
                .findFirst()
                .orElseThrow();
        assertEquals(
                Set.of("T", "transpose_a", "transpose_b"), product.getAttrMap().keySet());
    }
}
