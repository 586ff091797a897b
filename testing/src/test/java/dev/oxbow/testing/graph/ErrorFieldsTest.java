package dev.oxbow.testing.graph;

import static dev.oxbow.testing.graph.Graphs.constant;
import static dev.oxbow.testing.graph.Graphs.function;
import static dev.oxbow.testing.graph.Graphs.node;
import static dev.oxbow.testing.graph.Graphs.placeholder;
import static dev.oxbow.testing.graph.Graphs.tensor;
import static dev.oxbow.testing.graph.Graphs.type;
import static dev.oxbow.testing.graph.Graphs.types;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.GraphDef;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An error says as fields which op failed, at which node, made by which line, however it came to the caller. */
@Timeout(300)
final class ErrorFieldsTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value index = ops.placeholder("index", DType.I32, Shape.SCALAR);
    private final Value picked =
            ops.constant(Tensor.of(Shape.of(3), 1f, 2f, 3f)).gather(index, 0);

    private static void assertPlace(String op, String node, OxbowException e) {
        assertEquals(op, e.op(), e.getMessage());
        assertEquals(node, e.node(), e.getMessage());
    }

    private static void assertPlace(Node n, OxbowException e) {
        assertPlace(n.op().signature().name(), n.name(), e);
        assertEquals(n.origin().toString(), e.origin());
        assertEquals("%s: %s (node %s, made at %s)".formatted(e.op(), e.text(), n.name(), n.origin()), e.getMessage());
    }

    @Test
    void ofAKernelWithTheStackOfTheCaller() {
        try (Session s = Session.open(graph);
                Tensor nine = Tensor.scalar(9)) {
            var e = assertThrows(
                    OxbowException.class,
                    () -> s.feed(index.edge(), nine).fetch(picked.edge()).run());
            assertPlace(picked.edge().node(), e);
            assertTrue(List.of(e.getStackTrace()).stream()
                    .anyMatch(f -> f.getClassName().equals(ErrorFieldsTest.class.getName())));
            assertPlace(picked.edge().node(), (OxbowException) e.getCause());
        }
    }

    @Test
    void ofAKernelInAPartialRun() {
        String fetched = picked.edge().name();
        try (Session s = Session.open(graph);
                PartialRun run = s.partialRun(List.of("index:0"), List.of(fetched), List.of());
                Tensor nine = Tensor.scalar(9)) {
            var e = assertThrows(
                    OxbowException.class,
                    () -> run.run(Map.of("index:0", nine), List.of(fetched), Duration.ofSeconds(20)));
            assertPlace(picked.edge().node(), e);
        }
    }

    @Test
    void ofOneDeviceAmongTwo() {
        Value there;
        try (var _ = graph.device("cpu:1")) {
            there = picked.times(2);
        }
        Value here = there.plus(ops.placeholder("x", DType.F32, Shape.SCALAR));
        try (Session s = Session.open(graph, EngineOptions.defaults().withCpuDevices(2));
                Tensor nine = Tensor.scalar(9);
                Tensor x = Tensor.scalar(1f)) {
            var e = assertThrows(
                    OxbowException.class,
                    () -> s.run(
                            Map.of("index:0", nine, "x:0", x),
                            List.of(here.edge().name()),
                            List.of()));
            assertPlace(picked.edge().node(), e);
        }
    }

    @Test
    void ofInferenceWhenANodeIsMade() {
        Value a = ops.placeholder("a", DType.F32, Shape.of(2, 3));
        var e = assertThrows(OxbowException.class, () -> a.matMul(a));
        assertPlace("MatMul", "MatMul", e);
        assertNull(e.origin());
        assertTrue(e.text().startsWith("Matrix size-incompatible: "), e.text());
    }

    @Test
    void ofAnImportedNodeAndOfAFunctionsBody() {
        var product = node("MatMul", "bad", "a", "a").putAttr("T", type(DataType.DT_FLOAT));
        var a = constant("a", tensor(DataType.DT_FLOAT, 2, 3).addFloatVal(1));
        GraphDef.Builder def = GraphDef.newBuilder()
                .addNode(a)
                .addNode(product)
                .addNode(placeholder("x", DataType.DT_FLOAT))
                .addNode(node("PartitionedCall", "call", "x")
                        .putAttr("Tin", types(DataType.DT_FLOAT))
                        .putAttr("Tout", types(DataType.DT_FLOAT))
                        .putAttr("f", Graphs.function("f")));
        def.getLibraryBuilder()
                .addFunction(function(
                        "f",
                        "inner:product:0",
                        a,
                        product.clone()
                                .setName("inner")
                                .setInput(0, "a:output:0")
                                .setInput(1, "a:output:0")));
        try (Session s = Session.open(GraphImporter.read(def.build()));
                Tensor x = Tensor.scalar(1f)) {
            var imported = assertThrows(OxbowException.class, () -> s.run(Map.of(), List.of("bad:0"), List.of()));
            assertPlace("MatMul", "bad", imported);
            var called =
                    assertThrows(OxbowException.class, () -> s.run(Map.of("x:0", x), List.of("call:0"), List.of()));
            assertPlace("MatMul", "inner", called);
            assertEquals(imported.text(), called.text());
        }
    }

    @Test
    void ofAFunctionThatCanNotBeRead() {
        GraphDef.Builder def = GraphDef.newBuilder()
                .addNode(placeholder("x", DataType.DT_FLOAT))
                .addNode(node("f", "call", "x"));
        def.getLibraryBuilder().addFunction(function("f", "x:7"));
        try (Session s = Session.open(GraphImporter.read(def.build()));
                Tensor x = Tensor.scalar(1f)) {
            var e = assertThrows(OxbowException.class, () -> s.run(Map.of("x:0", x), List.of("call:0"), List.of()));
            assertPlace("function f", "call", e);
            assertEquals("function f: 'x' has no value 'x:7' (node call)", e.getMessage());
        }
    }
}
