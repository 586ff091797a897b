package dev.oxbow.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.ResourceHandleProto;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.TensorShapeProto;
import dev.oxbow.wire.proto.VariantTensorDataProto;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class TensorCodecTest {
    static final List<Shape> SHAPES =
            List.of(Shape.SCALAR, Shape.of(0), Shape.of(1), Shape.of(3), Shape.of(2, 0, 3), Shape.of(2, 3));

    @Test
    void valuesOfATensorWithoutElementsAreIgnored() {
        for (var proto : List.of(
                of(DataType.DT_STRING, 0).addStringVal(ByteString.EMPTY),
                of(DataType.DT_FLOAT, 0, 3).addFloatVal(1))) {
            try (Tensor t = TensorCodec.decode(proto.build())) {
                assertEquals(0, t.size());
            }
        }
    }

    @Test
    void bytesAreCountedBeforeTheyAreTaken() {
        var spread = of(DataType.DT_FLOAT, 1 << 20).addFloatVal(1).build();
        assertEquals(4 << 20, TensorCodec.decodedBytes(spread));
        assertEquals((4 << 20) - 4, TensorCodec.repeatedBytes(spread));
        var strings = of(DataType.DT_STRING, 1000)
                .addStringVal(ByteString.copyFromUtf8("abc"))
                .build();
        assertTrue(TensorCodec.decodedBytes(strings) >= 8 * 1000 + 24 + 3);
        assertEquals(8 * 999, TensorCodec.repeatedBytes(strings));
        var content = of(DataType.DT_INT32, 2)
                .setTensorContent(ByteString.copyFrom(new byte[8]))
                .build();
        assertEquals(8, TensorCodec.decodedBytes(content));
        assertEquals(0, TensorCodec.repeatedBytes(content));
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void everyTypeSurvivesTheRoundTrip(DType dtype) {
        for (Shape shape : SHAPES) {
            try (Tensor t = random(dtype, shape)) {
                byte[] bytes = TensorCodec.encode(t).toByteArray();
                try (Tensor back = TensorCodec.parse(ByteBuffer.wrap(bytes), 1 << 20)) {
                    assertSame(t, back);
                }
            }
        }
    }

    @Test
    void tensorsThatTensorFlowWroteHaveTheirValues() {
        GraphDef graph = GraphParser.read(Fixtures.file("graph.pb"));
        int seen = 0;
        for (NodeDef node : graph.getNodeList()) {
            if (!node.getName().contains("/")) continue;
            try (Tensor t = TensorCodec.decode(node.getAttrOrThrow("value").getTensor())) {
                boolean scalar = node.getName().startsWith("scalar/");
                assertEquals(scalar ? Shape.SCALAR : Shape.of(3), t.shape(), node.getName());
                assertEquals(
                        DType.ofName(node.getName().substring(node.getName().indexOf('/') + 1)), t.dtype());
                if (t.dtype() == DType.STRING) {
                    assertEquals(scalar ? List.of("one") : List.of("one", "two", ""), t.strings());
                } else {
                    for (int i = 0; i < t.size(); i++) assertEquals(t.dtype() == DType.BOOL ? 1 : 1 + i, real(t, i));
                }
                seen++;
            }
        }
        assertEquals(32, seen);
    }

    private static double real(Tensor t, int i) {
        if (!t.dtype().isComplex()) return t.getDouble(i);
        try (Tensor parts = t.as(t.dtype().real(), Shape.of(2 * t.size()))) {
            assertEquals(0, parts.getDouble(2 * i + 1));
            return parts.getDouble(2 * i);
        }
    }

    @Test
    void theLastValueRepeats() {
        TensorProto p = of(DataType.DT_INT16, 2, 4).addIntVal(7).addIntVal(-1).build();
        try (Tensor t = TensorCodec.decode(p)) {
            for (int i = 0; i < 8; i++) assertEquals(i == 0 ? 7 : -1, t.getLong(i));
        }
        TensorProto c =
                of(DataType.DT_COMPLEX64, 3).addScomplexVal(1).addScomplexVal(2).build();
        try (Tensor t = TensorCodec.decode(c)) {
            assertArrayEquals(new float[] {1, 2, 1, 2, 1, 2}, t.segment().toArray(Memory.FLOAT));
        }
        TensorProto s = of(DataType.DT_STRING, 3)
                .addStringVal(ByteString.copyFromUtf8("s"))
                .build();
        try (Tensor t = TensorCodec.decode(s)) {
            assertEquals(List.of("s", "s", "s"), t.strings());
        }
    }

    @Test
    void withoutValuesElementsAreZero() {
        try (Tensor t = TensorCodec.decode(of(DataType.DT_FLOAT, 3).build())) {
            assertArrayEquals(new float[3], t.floats());
        }
        try (Tensor t = TensorCodec.decode(of(DataType.DT_STRING, 2).build())) {
            assertEquals(List.of("", ""), t.strings());
        }
    }

    @Test
    void halfValuesAreBits() {
        try (Tensor t =
                TensorCodec.decode(of(DataType.DT_HALF, 1).addHalfVal(0x3c00).build())) {
            assertEquals(1, t.getDouble(0));
        }
        try (Tensor t = TensorCodec.decode(
                of(DataType.DT_BFLOAT16, 1).addHalfVal(0xbf80).build())) {
            assertEquals(-1, t.getDouble(0));
        }
    }

    @Test
    void stringContentIsLengthsThenBytes() {
        ByteString content = ByteString.copyFrom(new byte[] {2, 0, 1, 'a', 'b', 'c'});
        try (Tensor t = TensorCodec.decode(
                of(DataType.DT_STRING, 3).setTensorContent(content).build())) {
            assertEquals(List.of("ab", "", "c"), t.strings());
        }
    }

    @Test
    void booleanContentIsZeroOrOne() {
        ByteString content = ByteString.copyFrom(new byte[] {0, 1, 2, -1});
        try (Tensor t = TensorCodec.decode(
                of(DataType.DT_BOOL, 4).setTensorContent(content).build())) {
            assertArrayEquals(new byte[] {0, 1, 1, 1}, t.bytes());
        }
    }

    @Test
    void shapesKeepWhatIsUnknown() {
        for (Shape s : List.of(Shape.UNKNOWN, Shape.SCALAR, Shape.of(-1, 3), Shape.of(0))) {
            assertEquals(s, TensorCodec.decodeShape(TensorCodec.encodeShape(s)));
        }
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void hostileMessagesAreRefusedBeforeAllocation(TensorProto.Builder proto, String message) {
        MemoryPool pool = new MemoryPool("test", 1 << 20);
        var e = assertThrows(OxbowException.class, () -> TensorCodec.decode(proto.build(), 1 << 20, pool, "test"));
        assertEquals(message, e.getMessage());
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertEquals(0, pool.peakBytes());
    }

    static Stream<Arguments> hostile() {
        TensorShapeProto.Builder deep = TensorShapeProto.newBuilder();
        for (int i = 0; i < 255; i++) deep.addDimBuilder().setSize(1);
        return Stream.of(
                Arguments.of(of(DataType.DT_FLOAT, -5), "TensorShapeProto: dim 0 must be >= -1, got -5"),
                Arguments.of(
                        of(DataType.DT_FLOAT, 2, -1),
                        "TensorProto: tensor_shape must be fully known, got [2,?] of f32"),
                Arguments.of(
                        of(DataType.DT_FLOAT)
                                .setTensorShape(TensorShapeProto.newBuilder().setUnknownRank(true)),
                        "TensorProto: tensor_shape must be fully known, got <unknown> of f32"),
                Arguments.of(
                        of(DataType.DT_FLOAT).setTensorShape(deep),
                        "TensorShapeProto: rank must be at most 254, got 255"),
                Arguments.of(
                        of(DataType.DT_FLOAT, 1L << 40, 1L << 40),
                        "Shape: [1099511627776,1099511627776] has more than 2^63 elements"),
                Arguments.of(
                        of(DataType.DT_FLOAT, 1L << 61),
                        "TensorProto: tensor_shape: f32[2305843009213693952] is larger than the limit of "
                                + "1048576 bytes"),
                Arguments.of(
                        of(DataType.DT_STRING, 1L << 30),
                        "TensorProto: tensor_shape: string[1073741824] is larger than the limit of 1048576 bytes"),
                Arguments.of(
                        of(DataType.DT_INT32, 2).setTensorContent(ByteString.copyFrom(new byte[7])),
                        "TensorProto: tensor_content of i32[2] must have 8 bytes, got 7"),
                Arguments.of(
                        of(DataType.DT_INT32, 2).addIntVal(1).addIntVal(2).addIntVal(3),
                        "TensorProto: int_val has more values than i32[2] has elements: 3 > 2"),
                Arguments.of(
                        of(DataType.DT_COMPLEX128, 2).addDcomplexVal(1),
                        "TensorProto: dcomplex_val must have pairs of values, got 1"),
                Arguments.of(
                        of(DataType.DT_STRING, 1).addStringVal(ByteString.EMPTY).addStringVal(ByteString.EMPTY),
                        "TensorProto: string_val has more values than there are elements: 2 > 1"),
                Arguments.of(
                        of(DataType.DT_STRING, 2).setTensorContent(ByteString.copyFrom(new byte[] {1, 9, 'a'})),
                        "TensorProto: tensor_content: string 1 has 9 bytes, 1 are left"),
                Arguments.of(
                        of(DataType.DT_RESOURCE, 1).setTensorContent(ByteString.copyFrom(new byte[] {1, 7})),
                        "TensorProto: tensor_content: resource element 0: Protocol message contained an invalid tag"
                                + " (zero)."),
                Arguments.of(TensorProto.newBuilder().setDtypeValue(99), "TensorProto: dtype must be 1 to 23, got 99"),
                Arguments.of(of(DataType.DT_FLOAT_REF, 1), "TensorProto: dtype must be 1 to 23, got 101"));
    }

    @Test
    void anObjectWithoutWireFormIsNamed() {
        Tensor t = Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, "text");
        var e = assertThrows(OxbowException.class, () -> TensorCodec.encode(t));
        assertEquals(ErrorCode.UNIMPLEMENTED, e.code());
        assertEquals("TensorProto: a variant element that is java.lang.String has no wire form", e.getMessage());
    }

    static TensorProto.Builder of(DataType type, long... dims) {
        TensorShapeProto.Builder shape = TensorShapeProto.newBuilder();
        for (long d : dims) shape.addDimBuilder().setSize(d);
        return TensorProto.newBuilder().setDtype(type).setTensorShape(shape);
    }

    /** Random bits, or for objects a few different ones. */
    static Tensor random(DType dtype, Shape shape) {
        Random random = new Random(42);
        if (dtype.isObject()) {
            Object[] values = new Object[(int) shape.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = switch (dtype) {
                    case RESOURCE ->
                        ResourceHandleProto.newBuilder().setName("r" + i).build();
                    case VARIANT ->
                        VariantTensorDataProto.newBuilder().setTypeName("v" + i).build();
                    default -> ("string " + i).getBytes(StandardCharsets.UTF_8);
                };
            }
            return Tensor.ofObjects(dtype, shape, values);
        }
        byte[] bytes = new byte[(int) MemoryPool.byteSize(dtype, shape)];
        random.nextBytes(bytes);
        if (dtype == DType.BOOL) for (int i = 0; i < bytes.length; i++) bytes[i] &= 1;
        return Tensor.ofBytes(dtype, shape, ByteBuffer.wrap(bytes));
    }

    static void assertSame(Tensor wanted, Tensor got) {
        assertEquals(wanted.toString(), got.toString());
        if (wanted.dtype() == DType.STRING) assertEquals(wanted.strings(), got.strings());
        else if (wanted.dtype().isObject()) assertArrayEquals(wanted.objects(), got.objects());
        else assertArrayEquals(wanted.bytes(), got.bytes(), () -> wanted + " differs");
        assertTrue(wanted.size() == got.size());
    }
}
