package dev.oxbow.testing.samples;

import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.ExampleJson;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Samples of ops that take Examples apart. */
public final class ParseSamples extends SampleFamily {
    private static final List<DType> THREE = List.of(DType.F32, DType.I64, DType.STRING);
    /** No feature is asked for in two ways: what TensorFlow gives then is not defined. */
    private static final byte[] FULL =
            example("\"f\": FLOATS[1.5, -2], \"i\": LONGS[3, -4, 5], \"s\": BYTES[\"YQ==\", \"Yg==\"],"
                    + " \"F\": FLOATS[1], \"I\": LONGS[2, 70000], \"S\": BYTES[\"YWJj\"]");

    private static final byte[] PART = example(
            "\"i\": LONGS[7, 8, 9], \"f\": FLOATS[0.5, 4], \"other\": LONGS[1], \"F\": FLOATS[], \"I\": LONGS[-1]");
    private static final byte[] EMPTY = example("");

    @Override
    public String name() {
        return "parse";
    }

    @Override
    protected void define() {
        examples();
        examplesV2();
        single();
        sequences();
        sequencesV2();
        singleSequence();
        new ProtoSamples(this).define();
        sample(
                op("DecodeJSONExample"),
                strings(
                        json("\"f\": FLOATS[1.5, \"NaN\"]").getBytes(StandardCharsets.UTF_8),
                        json("\"i\": LONGS[\"12\", -3]").getBytes(StandardCharsets.UTF_8),
                        "{}".getBytes(StandardCharsets.UTF_8)));
        sample(op("DecodeJSONExample"), Tensor.scalar("no json"));
        sample(op("DecodeJSONExample"), Tensor.of(Shape.of(0, 2), new String[0]));
    }

    private static Op op(String name, Object... attributes) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < attributes.length; i += 2) {
            Object v = attributes[i + 1];
            map.put((String) attributes[i], v instanceof Integer n ? Long.valueOf(n) : v);
        }
        return OpRegistry.get().definition(name).create(map);
    }

    private static String json(String features) {
        return "{\"features\": {\"feature\": {"
                + features.replaceAll("FLOATS(\\[[^]]*])", "{\"floatList\": {\"value\": $1}}")
                        .replaceAll("LONGS(\\[[^]]*])", "{\"int64List\": {\"value\": $1}}")
                        .replaceAll("BYTES(\\[[^]]*])", "{\"bytesList\": {\"value\": $1}}")
                + "}}}";
    }

    private static byte[] example(String features) {
        return ExampleJson.parse(json(features).getBytes(StandardCharsets.UTF_8));
    }

    /** A message field of bytes. */
    private static byte[] field(int number, byte[]... contents) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(), out = new ByteArrayOutputStream();
        for (byte[] c : contents) all.writeBytes(c);
        out.write(number << 3 | 2);
        if (all.size() > 127) out.write(all.size() & 127 | 128);
        out.write(all.size() > 127 ? all.size() >> 7 : all.size()); // lengths of more than 127 take two bytes
        out.writeBytes(all.toByteArray());
        return out.toByteArray();
    }

    /** A feature without its Example: what lies in the map under the one name {@code x}. */
    private static byte[] step(String list) {
        byte[] whole = example("\"x\": " + list);
        int at = 2 + 2 + 3; // fields of features and entry, then the name
        return Arrays.copyOfRange(whole, at + 2, whole.length);
    }

    private static byte[] list(String name, String... steps) {
        byte[][] each = new byte[steps.length][];
        for (int i = 0; i < each.length; i++) each[i] = field(1, step(steps[i]));
        return field(1, field(1, name.getBytes(StandardCharsets.UTF_8)), field(2, each));
    }

    private static byte[] sequence(byte[] context, byte[]... lists) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(context);
        out.writeBytes(field(2, lists));
        return out.toByteArray();
    }

    private static final byte[] LONG = sequence(
            FULL,
            list("a", "FLOATS[1, 2]", "FLOATS[3, 4]", "FLOATS[5, 6]"),
            list("b", "LONGS[1]", "LONGS[]", "LONGS[2, 3]"),
            list("d", "LONGS[4, 5]", "LONGS[6]"),
            list("c", "BYTES[\"YQ==\"]"));
    private static final byte[] SHORT = sequence(PART, list("a", "FLOATS[7, 8]"), list("b", "LONGS[9]"));

    private static Tensor strings(byte[]... all) {
        return Tensor.ofObjects(DType.STRING, Shape.of(all.length), (Object[]) all);
    }

    private static Tensor texts(String... all) {
        return Tensor.of(Shape.of(all.length), all);
    }

    private static Tensor one(byte[] bytes) {
        return Tensor.ofObjects(DType.STRING, Shape.SCALAR, bytes);
    }

    private static Tensor text(String s) {
        return Tensor.scalar(s);
    }

    private static Tensor[] defaults() {
        return new Tensor[] {
            Tensor.of(Shape.of(2), 9f, 8f), Tensor.of(Shape.of(3, 1), 1L, 2L, 3L), Tensor.of(Shape.of(2), "x", "y")
        };
    }

    private static final List<Shape> SHAPES = List.of(Shape.of(2), Shape.of(3, 1), Shape.of(2));

    private void examples() {
        for (byte[][] rows : List.of(new byte[][] {FULL, PART, EMPTY}, new byte[][] {FULL}, new byte[][] {})) {
            Tensor[] d = defaults();
            sample(
                    op("ParseExample", "Nsparse", 3, "Ndense", 3, "sparse_types", THREE, "dense_shapes", SHAPES),
                    strings(rows),
                    texts(),
                    text("F"),
                    text("I"),
                    text("S"),
                    text("f"),
                    text("i"),
                    text("s"),
                    d[0],
                    d[1],
                    d[2]);
            sample(
                    op(
                            "ParseExample",
                            "Nsparse",
                            0,
                            "Ndense",
                            2,
                            "sparse_types",
                            List.of(),
                            "dense_shapes",
                            List.of(Shape.of(-1), Shape.of(-1, 3))),
                    strings(rows),
                    texts(),
                    text("f"),
                    text("i"),
                    Tensor.scalar(-1f),
                    Tensor.scalar(-7L));
        }
        sample(
                op(
                        "ParseExample",
                        "Nsparse",
                        0,
                        "Ndense",
                        1,
                        "sparse_types",
                        List.of(),
                        "dense_shapes",
                        List.of(Shape.of(2))),
                strings(FULL, EMPTY),
                texts("one", "two"),
                text("f"),
                Tensor.of(Shape.of(0), new float[0]));
        sample(
                op(
                        "ParseExample",
                        "Nsparse",
                        1,
                        "Ndense",
                        0,
                        "sparse_types",
                        List.of(DType.I64),
                        "dense_shapes",
                        List.of()),
                strings(FULL),
                texts(),
                text("f"));
        sample(
                op(
                        "ParseExample",
                        "Nsparse",
                        1,
                        "Ndense",
                        0,
                        "sparse_types",
                        List.of(DType.I64),
                        "dense_shapes",
                        List.of()),
                strings(new byte[] {10, 100, 1}),
                texts(),
                text("f"));
    }

    private void examplesV2() {
        Tensor[] d = defaults();
        for (Tensor serialized : List.of(strings(FULL, PART, EMPTY), one(FULL), one(EMPTY), strings()))
            for (DType splits : List.of(DType.I32, DType.I64))
                sample(
                        op(
                                "ParseExampleV2",
                                "num_sparse",
                                1,
                                "sparse_types",
                                List.of(DType.STRING),
                                "ragged_value_types",
                                List.of(DType.I64, DType.F32),
                                "ragged_split_types",
                                List.of(splits, DType.I64),
                                "dense_shapes",
                                List.of(Shape.of(2), Shape.of(-1))),
                        serialized,
                        texts(),
                        texts("S"),
                        texts("f", "i"),
                        texts("I", "F"),
                        d[0],
                        Tensor.scalar(-1L));
    }

    private void single() {
        Tensor[] d = defaults();
        for (byte[] e : List.of(FULL, PART, EMPTY))
            sample(
                    op(
                            "ParseSingleExample",
                            "num_sparse",
                            3,
                            "sparse_keys",
                            List.of("F", "I", "S"),
                            "dense_keys",
                            List.of("f", "i", "s"),
                            "sparse_types",
                            THREE,
                            "dense_shapes",
                            SHAPES),
                    one(e),
                    d[0],
                    d[1],
                    d[2]);
        sample(
                op(
                        "ParseSingleExample",
                        "num_sparse",
                        0,
                        "sparse_keys",
                        List.of(),
                        "dense_keys",
                        List.of("i"),
                        "sparse_types",
                        List.of(),
                        "dense_shapes",
                        List.of(Shape.of(-1))),
                one(FULL),
                Tensor.scalar(0L));
    }

    private static Op sequenceOp(List<String> missing) {
        return op(
                "ParseSequenceExample",
                "feature_list_dense_missing_assumed_empty",
                missing,
                "context_sparse_keys",
                List.of("i"),
                "context_dense_keys",
                List.of("f"),
                "feature_list_sparse_keys",
                List.of("b"),
                "feature_list_dense_keys",
                List.of("a", "c"),
                "Ncontext_sparse",
                1,
                "Ncontext_dense",
                1,
                "Nfeature_list_sparse",
                1,
                "Nfeature_list_dense",
                2,
                "context_sparse_types",
                List.of(DType.I64),
                "feature_list_dense_types",
                List.of(DType.F32, DType.STRING),
                "context_dense_shapes",
                List.of(Shape.of(2)),
                "feature_list_sparse_types",
                List.of(DType.I64),
                "feature_list_dense_shapes",
                List.of(Shape.of(2), Shape.SCALAR));
    }

    private void sequences() {
        for (List<String> missing : List.of(List.of("c"), List.<String>of()))
            for (byte[][] rows : List.of(new byte[][] {LONG, SHORT}, new byte[][] {LONG}))
                sample(sequenceOp(missing), strings(rows), texts(), Tensor.of(Shape.of(2), 0f, 0f));
    }

    private void sequencesV2() {
        for (Tensor serialized : List.of(strings(LONG, SHORT), one(LONG), one(SHORT))) {
            boolean single = serialized.shape().isScalar(); // whose splits TensorFlow leaves undefined
            List<DType> strings = single ? List.of() : List.of(DType.STRING),
                    longs = single ? List.of() : List.of(DType.I64);
            String[] context = single ? new String[0] : new String[] {"s"},
                    list = single ? new String[0] : new String[] {"d"};
            sample(
                    op(
                            "ParseSequenceExampleV2",
                            "Ncontext_sparse",
                            1,
                            "context_sparse_types",
                            List.of(DType.I64),
                            "context_ragged_value_types",
                            strings,
                            "context_ragged_split_types",
                            longs,
                            "context_dense_shapes",
                            List.of(Shape.of(2)),
                            "Nfeature_list_sparse",
                            1,
                            "Nfeature_list_dense",
                            2,
                            "feature_list_dense_types",
                            List.of(DType.F32, DType.STRING),
                            "feature_list_sparse_types",
                            List.of(DType.I64),
                            "feature_list_ragged_value_types",
                            longs,
                            "feature_list_ragged_split_types",
                            longs,
                            "feature_list_dense_shapes",
                            List.of(Shape.of(2), Shape.SCALAR)),
                    serialized,
                    texts(),
                    texts("i"),
                    texts("f"),
                    texts(context),
                    texts("b"),
                    texts("a", "c"),
                    texts(list),
                    Tensor.of(Shape.of(2), false, true),
                    Tensor.of(Shape.of(2), 0f, 0f));
        }
    }

    private void singleSequence() {
        for (byte[] s : List.of(LONG, SHORT))
            sample(
                    op(
                            "ParseSingleSequenceExample",
                            "Ncontext_sparse",
                            1,
                            "Ncontext_dense",
                            1,
                            "Nfeature_list_sparse",
                            1,
                            "Nfeature_list_dense",
                            2,
                            "context_sparse_types",
                            List.of(DType.I64),
                            "Tcontext_dense",
                            List.of(DType.F32),
                            "feature_list_dense_types",
                            List.of(DType.F32, DType.STRING),
                            "context_dense_shapes",
                            List.of(Shape.of(2)),
                            "feature_list_sparse_types",
                            List.of(DType.I64),
                            "feature_list_dense_shapes",
                            List.of(Shape.of(2), Shape.SCALAR)),
                    one(s),
                    texts("c"),
                    text("i"),
                    text("f"),
                    text("b"),
                    text("a"),
                    text("c"),
                    Tensor.of(Shape.of(2), 0f, 0f),
                    text("name"));
    }
}
