package dev.oxbow.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NameAttrList;
import dev.oxbow.wire.proto.NodeDef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class GraphParserTest {

    @Test
    void aGraphThatTensorFlowWroteComesOutAsItWas() throws IOException {
        byte[] bytes = Fixtures.bytes("graph.pb");
        byte[] written = GraphParser.serialise(GraphParser.parse(bytes));
        assertEquals(bytes.length, written.length);
        assertEquals(GraphParser.parse(bytes), GraphParser.parse(written));
    }

    @Test
    void unknownFieldsSurvive() {
        var field = UnknownFieldSet.Field.newBuilder()
                .addLengthDelimited(ByteString.copyFromUtf8("later"))
                .build();
        var unknown = UnknownFieldSet.newBuilder().addField(77, field).build();
        NodeDef node =
                NodeDef.newBuilder().setName("n").setUnknownFields(unknown).build();
        GraphDef graph =
                GraphDef.newBuilder().addNode(node).setUnknownFields(unknown).build();
        assertEquals(graph, GraphParser.parse(GraphParser.serialise(graph)));
    }

    @Test
    void truncatedBytesAreDataLoss() throws IOException {
        byte[] bytes = Fixtures.bytes("graph.pb");
        var e = fails(Arrays.copyOf(bytes, 100), ErrorCode.DATA_LOSS);
        assertEquals("GraphDef: the bytes end in the middle of a field (truncated?), in 100 bytes", e.getMessage());
    }

    @Test
    void otherBytesAreInvalid() {
        fails(new byte[] {0, 0, 0}, ErrorCode.INVALID_ARGUMENT);
        fails(new byte[] {0x0c}, ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void deepNestingIsRefused() {
        AttrValue value = AttrValue.newBuilder().setI(1).build();
        for (int i = 0; i < 200; i++) {
            value = AttrValue.newBuilder()
                    .setFunc(NameAttrList.newBuilder().putAttr("f", value))
                    .build();
        }
        NodeDef node = NodeDef.newBuilder().putAttr("f", value).build();
        fails(GraphDef.newBuilder().addNode(node).build().toByteArray(), ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void moreBytesThanAllowedAreRefused() {
        var e = assertThrows(OxbowException.class, () -> GraphParser.parse(new byte[100], 99));
        assertEquals("GraphDef: at most 99 bytes are read, got 100", e.getMessage());
    }

    @Test
    void aMissingFileIsNotFound() {
        var e = assertThrows(OxbowException.class, () -> GraphParser.read(Path.of("no", "such.pb")));
        assertEquals(ErrorCode.NOT_FOUND, e.code());
    }

    @Test
    void theTextHasOneLinePerNode() {
        String text = GraphText.of(GraphParser.read(Fixtures.file("graph.pb")));
        String tail = text.substring(text.indexOf("\nones = ") + 1);
        assertEquals("""
                ones = Const[dtype=float32, value=float32[2,2] {1.0, 1.0, 1.0, 1.0}]() @ /device:CPU:0
                z = MatMul[T=float32, grad_a=false, grad_b=false, transpose_a=false, transpose_b=false]\
                (PartitionedCall, ones) @ /device:CPU:0

                function __inference_twice_38[_construction_context="kEagerRuntime"](a: float32) \
                -> (identity: float32) {
                  add = AddV2[T=float32](a, a)
                  Identity = Identity[T=float32](add:z:0)
                  return identity = Identity:output:0
                }
                """, tail);
    }

    @Test
    void theTextOfABadTensorSaysWhatIsWrong() {
        var tensor = TensorCodecTest.of(DataType.DT_FLOAT, 2).setTensorContent(ByteString.copyFromUtf8("abc"));
        NodeDef node = NodeDef.newBuilder()
                .setName("c")
                .setOp("Const")
                .putAttr("value", AttrValue.newBuilder().setTensor(tensor).build())
                .build();
        assertEquals(
                "c = Const[value=float32[2] <TensorProto: tensor_content of f32[2] must have 8 bytes, got 3>]()",
                GraphText.of(node));
    }

    private static OxbowException fails(byte[] bytes, ErrorCode code) {
        var e = assertThrows(OxbowException.class, () -> GraphParser.parse(bytes));
        assertEquals(code, e.code(), e.getMessage());
        return e;
    }
}
