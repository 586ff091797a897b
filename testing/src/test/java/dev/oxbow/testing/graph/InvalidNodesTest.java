package dev.oxbow.testing.graph;

import static dev.oxbow.testing.graph.Graphs.constant;
import static dev.oxbow.testing.graph.Graphs.function;
import static dev.oxbow.testing.graph.Graphs.node;
import static dev.oxbow.testing.graph.Graphs.placeholder;
import static dev.oxbow.testing.graph.Graphs.tensor;
import static dev.oxbow.testing.graph.Graphs.type;
import static dev.oxbow.testing.graph.Graphs.types;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An imported node at which inference fails: its error belongs to the runs that need it. */
final class InvalidNodesTest {

    /** A product of matrices that do not fit. */
    private static NodeDef.Builder product(String name, String a, String b) {
        return node("MatMul", name, a, b).putAttr("T", type(DataType.DT_FLOAT));
    }

    private static GraphDef.Builder graph() {
        AttrValue scalar = AttrValue.newBuilder().setShape(Graphs.shape()).build();
        GraphDef.Builder def = GraphDef.newBuilder()
                .addNode(constant("a", tensor(DataType.DT_FLOAT, 2, 3).addFloatVal(1)))
                .addNode(product("bad", "a", "a"))
                .addNode(node("Neg", "after", "bad").putAttr("T", type(DataType.DT_FLOAT)))
                .addNode(node("VarHandleOp", "v")
                        .putAttr("dtype", type(DataType.DT_FLOAT))
                        .putAttr("shape", scalar))
                .addNode(constant("one", tensor(DataType.DT_FLOAT).addFloatVal(1)))
                .addNode(node("AssignVariableOp", "set", "v", "one").putAttr("dtype", type(DataType.DT_FLOAT)))
                .addNode(node("AssignAddVariableOp", "add", "v", "one").putAttr("dtype", type(DataType.DT_FLOAT)))
                .addNode(node("ReadVariableOp", "read", "v").putAttr("dtype", type(DataType.DT_FLOAT)));
        def.getVersionsBuilder().setProducer(1882);
        return def;
    }

    @Test
    void runsThatDoNotNeedItRunAndOthersDoNotStart() {
        try (Session s = Session.open(GraphImporter.read(graph().build()))) {
            s.run(Map.of(), List.of(), List.of("set"));
            var e = assertThrows(OxbowException.class, () -> s.run(Map.of(), List.of("after:0"), List.of("add")));
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            assertTrue(e.getMessage().startsWith("MatMul: "), e.getMessage());
            assertTrue(e.getMessage().endsWith("(node bad)"), e.getMessage());
            List<Tensor> value = s.run(Map.of(), List.of("read:0"), List.of());
            assertEquals(1, value.get(0).getDouble(0));
            value.forEach(Tensor::close);
        }
    }

    @Test
    void feedingItsOutputIsEnough() {
        try (Session s = Session.open(GraphImporter.read(graph().build()));
                Tensor fed = Tensor.scalar(3f)) {
            List<Tensor> value = s.run(Map.of("bad:0", fed), List.of("after:0"), List.of());
            assertEquals(-3, value.get(0).getDouble(0));
            value.forEach(Tensor::close);
        }
    }

    @Test
    void aBranchThatIsNotTakenDoesNotNeedIt() {
        GraphDef.Builder def = GraphDef.newBuilder()
                .addNode(placeholder("p", DataType.DT_BOOL))
                .addNode(placeholder("x", DataType.DT_FLOAT))
                .addNode(node("If", "y", "p", "x")
                        .putAttr("Tcond", type(DataType.DT_BOOL))
                        .putAttr("Tin", types(DataType.DT_FLOAT))
                        .putAttr("Tout", types(DataType.DT_FLOAT))
                        .putAttr("then_branch", Graphs.function("good"))
                        .putAttr("else_branch", Graphs.function("wrong")));
        def.getLibraryBuilder()
                .addFunction(function("good", "n:y:0", node("Neg", "n", "x").putAttr("T", type(DataType.DT_FLOAT))))
                .addFunction(function(
                        "wrong",
                        "bad:product:0",
                        constant("a", tensor(DataType.DT_FLOAT, 2, 3).addFloatVal(1)),
                        product("bad", "a:output:0", "a:output:0")));
        try (Session s = Session.open(GraphImporter.read(def.build()));
                Tensor x = Tensor.scalar(3f);
                Tensor yes = Tensor.scalar(true);
                Tensor no = Tensor.scalar(false)) {
            List<Tensor> value = s.run(Map.of("p:0", yes, "x:0", x), List.of("y:0"), List.of());
            assertEquals(-3, value.get(0).getDouble(0));
            value.forEach(Tensor::close);
            var e = assertThrows(
                    OxbowException.class, () -> s.run(Map.of("p:0", no, "x:0", x), List.of("y:0"), List.of()));
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            assertTrue(e.getMessage().contains("bad"), e.getMessage());
        }
    }
}
