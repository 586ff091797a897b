package dev.oxbow.testing.samples;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FieldOptions;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.WireText;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Samples of ops that read and write fields of any messages: one with fields of all types, once and many times. */
final class ProtoSamples {
    private static final List<Type> TYPES = List.of(
            Type.TYPE_DOUBLE,
            Type.TYPE_FLOAT,
            Type.TYPE_INT64,
            Type.TYPE_UINT64,
            Type.TYPE_INT32,
            Type.TYPE_FIXED64,
            Type.TYPE_FIXED32,
            Type.TYPE_BOOL,
            Type.TYPE_STRING,
            Type.TYPE_MESSAGE,
            Type.TYPE_BYTES,
            Type.TYPE_UINT32,
            Type.TYPE_ENUM,
            Type.TYPE_SFIXED32,
            Type.TYPE_SFIXED64,
            Type.TYPE_SINT32,
            Type.TYPE_SINT64);
    private static final String MESSAGE = "oxbow.samples.M";

    private final SampleFamily to;
    private final String source;

    ProtoSamples(SampleFamily to) {
        this.to = to;
        this.source = WireText.text(
                ByteString.copyFromUtf8("bytes://").concat(descriptors().toByteString()));
    }

    private static FileDescriptorSet descriptors() {
        DescriptorProto.Builder m = DescriptorProto.newBuilder().setName("M");
        for (int i = 0; i < TYPES.size(); i++) {
            m.addField(field("one" + i, 1 + i, TYPES.get(i), Label.LABEL_OPTIONAL, false));
            m.addField(field("many" + i, 101 + i, TYPES.get(i), Label.LABEL_REPEATED, false));
            if (packs(TYPES.get(i))) m.addField(field("packed" + i, 201 + i, TYPES.get(i), Label.LABEL_REPEATED, true));
        }
        m.addField(
                field("set", 300, Type.TYPE_INT32, Label.LABEL_OPTIONAL, false).setDefaultValue("-7"));
        EnumDescriptorProto e = EnumDescriptorProto.newBuilder()
                .setName("E")
                .addValue(EnumValueDescriptorProto.newBuilder().setName("A").setNumber(0))
                .addValue(EnumValueDescriptorProto.newBuilder().setName("B").setNumber(3))
                .build();
        return FileDescriptorSet.newBuilder()
                .addFile(FileDescriptorProto.newBuilder()
                        .setName("samples.proto")
                        .setPackage("oxbow.samples")
                        .addMessageType(m)
                        .addEnumType(e))
                .build();
    }

    private static boolean packs(Type t) {
        return t != Type.TYPE_STRING && t != Type.TYPE_BYTES && t != Type.TYPE_MESSAGE;
    }

    private static FieldDescriptorProto.Builder field(String name, int number, Type t, Label label, boolean packed) {
        FieldDescriptorProto.Builder f = FieldDescriptorProto.newBuilder()
                .setName(name)
                .setNumber(number)
                .setType(t)
                .setLabel(label);
        if (t == Type.TYPE_MESSAGE) f.setTypeName(".oxbow.samples.M");
        if (t == Type.TYPE_ENUM) f.setTypeName(".oxbow.samples.E");
        if (packed) f.setOptions(FieldOptions.newBuilder().setPacked(true));
        return f;
    }

    private static DType dtype(Type t) {
        return switch (t) {
            case TYPE_DOUBLE -> DType.F64;
            case TYPE_FLOAT -> DType.F32;
            case TYPE_INT64, TYPE_SINT64, TYPE_SFIXED64 -> DType.I64;
            case TYPE_UINT64, TYPE_FIXED64 -> DType.U64;
            case TYPE_INT32, TYPE_SINT32, TYPE_SFIXED32, TYPE_ENUM -> DType.I32;
            case TYPE_UINT32, TYPE_FIXED32 -> DType.U32;
            case TYPE_BOOL -> DType.BOOL;
            default -> DType.STRING;
        };
    }

    void define() {
        for (int i = 0; i < TYPES.size(); i++) {
            DType t = dtype(TYPES.get(i));
            roundTrip(List.of("one" + i), List.of(t), new int[][] {{1}, {0}}, values(t, i, 2, 1));
            roundTrip(List.of("many" + i), List.of(t), new int[][] {{2}, {3}, {0}}, values(t, i, 3, 3));
            if (packs(TYPES.get(i)))
                roundTrip(List.of("packed" + i), List.of(t), new int[][] {{3}, {1}}, values(t, i, 2, 3));
        }
        roundTrip(
                List.of("many4", "one8", "packed1"),
                List.of(DType.I32, DType.STRING, DType.F32),
                new int[][] {{2, 1, 0}, {0, 0, 2}},
                values(DType.I32, 30, 2, 2),
                values(DType.STRING, 31, 2, 1),
                values(DType.F32, 32, 2, 2));
        decoded(List.of("set"), List.of(DType.I32), "binary", "", "\u00e0\u0012\u0005");
        decoded(List.of("one4"), List.of(DType.I64), "binary", "\u0028\u0005", "\u0028\u0006\u0028\u0007");
        decoded(List.of("many4"), List.of(DType.I32), "text", "many4: 3 many4: -4", "");
        decoded(List.of("one8"), List.of(DType.STRING), "binary", "\u004a");
        decoded(List.of("one8"), List.of(DType.I32), "binary", "");
        decoded(List.of("nothing"), List.of(DType.I32), "binary", "");
    }

    private static Tensor values(DType t, long seed, long rows, long columns) {
        if (t == DType.STRING) {
            String[] all = new String[(int) (rows * columns)];
            for (int i = 0; i < all.length; i++) all[i] = i % 3 == 1 ? "" : "\u0028" + (char) (i + 1);
            return Tensor.of(Shape.of(rows, columns), all);
        }
        if (t == DType.BOOL) {
            Tensor x = Tensor.zeros(t, Shape.of(rows, columns));
            for (int i = 0; i < x.size(); i++) x.setLong(i, i % 2);
            return x;
        }
        boolean signed = t == DType.I32 || t == DType.I64 || t.isFloating();
        return SampleFamily.random(t, signed ? -1e6 : 0, 1e6, seed, rows, columns);
    }

    private void roundTrip(List<String> names, List<DType> types, int[][] sizes, Tensor... values) {
        to.program("EncodeProto", p -> {
            int[] flat = Arrays.stream(sizes).flatMapToInt(Arrays::stream).toArray();
            List<Edge> in = new ArrayList<>();
            in.add(p.constant(Tensor.of(Shape.of(sizes.length, names.size()), flat)));
            for (Tensor v : values) in.add(p.constant(v));
            Edge bytes = p.add(
                            SampleFamily.named(
                                    "EncodeProto",
                                    "field_names",
                                    names,
                                    "message_type",
                                    MESSAGE,
                                    "descriptor_source",
                                    source),
                            in.toArray(Edge[]::new))
                    .edge(0);
            List<Edge> all = new ArrayList<>(List.of(bytes));
            all.addAll(decode(p, bytes, names, types, "binary"));
            p.run(Map.of(), all);
        });
    }

    private List<Edge> decode(
            SampleFamily.Program p, Edge bytes, List<String> names, List<DType> types, String format) {
        Node n = p.add(
                SampleFamily.named(
                        "DecodeProtoV2",
                        "field_names",
                        names,
                        "message_type",
                        MESSAGE,
                        "descriptor_source",
                        source,
                        "output_types",
                        types,
                        "message_format",
                        format),
                bytes);
        List<Edge> all = new ArrayList<>();
        for (int i = 0; i < n.outputCount(); i++) all.add(n.edge(i));
        return all;
    }

    private void decoded(List<String> names, List<DType> types, String format, String... messages) {
        Object[] bytes = Arrays.stream(messages)
                .map(m -> m.getBytes(StandardCharsets.ISO_8859_1))
                .toArray();
        to.program("DecodeProtoV2", p -> {
            Edge in = p.constant(Tensor.ofObjects(DType.STRING, Shape.of(messages.length), bytes));
            p.run(Map.of(), decode(p, in, names, types, format));
        });
    }
}
