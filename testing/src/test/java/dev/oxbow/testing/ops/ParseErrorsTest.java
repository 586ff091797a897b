package dev.oxbow.testing.ops;

import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.I64;
import static dev.oxbow.tensor.DType.STRING;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.graph.Evaluation;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.parse.ParseExample;
import dev.oxbow.ops.parse.ParseExampleV2;
import dev.oxbow.ops.parse.ParseSequenceExample;
import dev.oxbow.ops.parse.ParseSequenceExampleV2;
import dev.oxbow.ops.parse.ParseSingleExample;
import dev.oxbow.ops.parse.ParseSingleSequenceExample;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is said of examples that are not as they should be: the words of TensorFlow 2.21, which were asked of it. */
final class ParseErrorsTest {
    private static final byte[] NOTHING = {}, BROKEN = {10, 127, 'j', 'u', 'n', 'k'};
    private static final Shape SHAPE = Shape.of(1, 3);
    private static final Tensor NO_NAMES = texts(), NAMES = texts("p", "in1");
    private static final String TYPES = "Data types don't match. ";
    private static final byte[] GOOD = example(entry("a", floats(1, 1, 3)));

    /** What features of a SequenceExample are asked for. */
    private enum Kind {
        CONTEXT_SPARSE,
        CONTEXT_DENSE,
        CONTEXT_RAGGED,
        LIST_SPARSE,
        LIST_DENSE,
        LIST_RAGGED
    }

    private static byte[] field(int number, byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(number << 3 | 2);
        out.write(Stream.of(parts).mapToInt(p -> p.length).sum()); // less than 128 in all tests
        for (byte[] p : parts) out.writeBytes(p);
        return out.toByteArray();
    }

    private static byte[] floats(float... all) {
        ByteBuffer b = ByteBuffer.allocate(4 * all.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float f : all) b.putFloat(f);
        return field(2, field(1, b.array()));
    }

    private static byte[] longs(int... all) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i : all) out.write(i);
        return field(3, field(1, out.toByteArray()));
    }

    private static byte[] strings(String... all) {
        return field(1, Stream.of(all).map(s -> field(1, s.getBytes(UTF_8))).toArray(byte[][]::new));
    }

    private static byte[] entry(String key, byte[] feature) {
        return field(1, field(1, key.getBytes(UTF_8)), field(2, feature));
    }

    private static byte[] example(byte[]... entries) {
        return field(1, entries);
    }

    /** A SequenceExample with one list, of the name that all lists here have. */
    private static byte[] list(byte[]... steps) {
        byte[] all = field(2, Stream.of(steps).map(s -> field(1, s)).toArray(byte[][]::new));
        return field(2, field(1, field(1, "a".getBytes(UTF_8)), all));
    }

    private static Tensor texts(String... all) {
        return Tensor.of(Shape.of(all.length), all);
    }

    private static Tensor none(DType type) {
        return Tensor.zeros(type, Shape.of(0));
    }

    private static Tensor rows(byte[]... all) {
        return Tensor.ofObjects(STRING, Shape.of(all.length), (Object[]) all);
    }

    private static Tensor one(byte[] example) {
        return Tensor.ofObjects(STRING, Shape.SCALAR, example);
    }

    private static void refused(String text, Op op, Tensor... inputs) {
        var e = assertThrows(OxbowException.class, () -> Evaluation.run(op, "y", List.of(inputs)), op::toString);
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertEquals(text, e.text(), op.toString());
    }

    /** A dense feature of a batch of Examples. */
    private static void dense(String text, Shape shape, Tensor fallback, Tensor names, byte[]... rows) {
        List<Shape> shapes = List.of(shape);
        refused(text, new ParseExample(0, 1, List.of(), shapes), rows(rows), names, Tensor.scalar("a"), fallback);
        Op second = new ParseExampleV2(0, List.of(), List.of(), List.of(), shapes);
        refused(text, second, rows(rows), names, texts(), texts("a"), texts(), fallback);
    }

    /** A sparse or a ragged feature of a batch of Examples. */
    private static void other(String text, DType type, byte[]... rows) {
        List<DType> types = List.of(type);
        refused(text, new ParseExample(1, 0, types, List.of()), rows(rows), NAMES, Tensor.scalar("a"));
        Op sparse = new ParseExampleV2(1, types, List.of(), List.of(), List.of());
        refused(text, sparse, rows(rows), NAMES, texts("a"), texts(), texts());
        Op ragged = new ParseExampleV2(0, List.of(), types, List.of(I64), List.of());
        refused(text, ragged, rows(rows), NAMES, texts(), texts(), texts("a"));
    }

    /** A dense feature of one Example. */
    private static void single(String text, Shape shape, Tensor fallback, byte[] example) {
        List<Shape> shapes = List.of(shape);
        Op op = new ParseSingleExample(0, List.of(), List.of("a"), List.of(), shapes);
        refused(text, op, one(example), fallback);
        Op second = new ParseExampleV2(0, List.of(), List.of(), List.of(), shapes);
        refused(text, second, one(example), Tensor.scalar("in1"), texts(), texts("a"), texts(), fallback);
    }

    private static <T> List<T> where(boolean is, T value) {
        return is ? List.of(value) : List.of();
    }

    private static Tensor key(boolean is) {
        return is ? texts("a") : texts();
    }

    /** A feature of SequenceExamples by both ops for batches of them. */
    private static void sequences(String text, Kind kind, DType type, Shape shape, Tensor names, byte[]... rows) {
        sequencesV2(text, kind, type, shape, rows(rows), names);
        boolean sparse = kind == Kind.CONTEXT_SPARSE, dense = kind == Kind.CONTEXT_DENSE;
        boolean sparseList = kind == Kind.LIST_SPARSE, denseList = kind == Kind.LIST_DENSE;
        if (kind == Kind.CONTEXT_RAGGED || kind == Kind.LIST_RAGGED) return;
        Op op = new ParseSequenceExample(
                List.of(),
                where(sparse, "a"),
                where(dense, "a"),
                where(sparseList, "a"),
                where(denseList, "a"),
                sparse ? 1 : 0,
                dense ? 1 : 0,
                sparseList ? 1 : 0,
                denseList ? 1 : 0,
                where(sparse, type),
                where(denseList, type),
                where(dense, shape),
                where(sparseList, type),
                where(denseList, shape));
        if (dense) refused(text, op, rows(rows), names, none(type));
        else refused(text, op, rows(rows), names);
    }

    private static void sequencesV2(String text, Kind kind, DType type, Shape shape, Tensor serialized, Tensor names) {
        boolean sparse = kind == Kind.CONTEXT_SPARSE, dense = kind == Kind.CONTEXT_DENSE;
        boolean sparseList = kind == Kind.LIST_SPARSE, denseList = kind == Kind.LIST_DENSE;
        boolean ragged = kind == Kind.CONTEXT_RAGGED, raggedList = kind == Kind.LIST_RAGGED;
        Op op = new ParseSequenceExampleV2(
                sparse ? 1 : 0,
                where(sparse, type),
                where(ragged, type),
                where(ragged, I64),
                where(dense, shape),
                sparseList ? 1 : 0,
                denseList ? 1 : 0,
                where(denseList, type),
                where(sparseList, type),
                where(raggedList, type),
                where(raggedList, I64),
                where(denseList, shape));
        Tensor flags = Tensor.zeros(DType.BOOL, Shape.of(denseList ? 1 : 0));
        Stream<Tensor> inputs = Stream.of(
                serialized,
                names,
                key(sparse),
                key(dense),
                key(ragged),
                key(sparseList),
                key(denseList),
                key(raggedList),
                flags);
        Stream<Tensor> fallback = dense ? Stream.of(none(type)) : Stream.of();
        refused(text, op, Stream.concat(inputs, fallback).toArray(Tensor[]::new));
    }

    /** A feature of one SequenceExample. */
    private static void sequence(String text, Kind kind, DType type, Shape shape, byte[] row) {
        boolean sparse = kind == Kind.CONTEXT_SPARSE, dense = kind == Kind.CONTEXT_DENSE;
        boolean sparseList = kind == Kind.LIST_SPARSE, denseList = kind == Kind.LIST_DENSE;
        Op op = new ParseSingleSequenceExample(
                sparse ? 1 : 0,
                dense ? 1 : 0,
                sparseList ? 1 : 0,
                denseList ? 1 : 0,
                where(sparse, type),
                where(dense, type),
                where(denseList, type),
                where(dense, shape),
                where(sparseList, type),
                where(denseList, shape));
        Tensor key = Tensor.scalar("a"), name = Tensor.scalar("in1");
        if (dense) refused(text, op, one(row), texts(), key, none(type), name);
        else refused(text, op, one(row), texts(), key, name);
    }

    @Test
    void aBatchNamesTheExampleWhoseDenseFeatureHasTheWrongSize() {
        String where = "Name: in1, Key: a, Index: 1.  Number of ", sizes = "Values size: 2 but output shape: [1,3]";
        dense(
                where + "float values != expected.  " + sizes,
                SHAPE,
                none(F32),
                NAMES,
                GOOD,
                example(entry("a", floats(1, 2))));
        byte[] longs = example(entry("a", longs(1, 2, 3))), two = example(entry("a", longs(1, 2)));
        dense(where + "int64 values != expected.  " + sizes, SHAPE, none(I64), NAMES, longs, two);
        byte[] bytes = example(entry("a", strings("x", "y", "z"))), short2 = example(entry("a", strings("x", "y")));
        dense(where + "bytes values != expected.  " + sizes, SHAPE, none(STRING), NAMES, bytes, short2);
        dense(
                "Name: <unknown>, Key: a, Index: 0.  Number of int64 values != expected.  " + sizes,
                SHAPE,
                none(I64),
                NO_NAMES,
                two);
    }

    @Test
    void aBatchNamesTheExampleThatLacksAFeature() {
        String rest = "Feature: a (data type: %s) is required but could not be found.";
        dense("Name: in1, " + rest.formatted("float"), SHAPE, none(F32), NAMES, GOOD, example());
        dense("Name: in1, " + rest.formatted("float"), SHAPE, none(F32), NAMES, GOOD, example(entry("a", NOTHING)));
        dense("Name: p, " + rest.formatted("string"), SHAPE, none(STRING), NAMES, NOTHING, NOTHING);
        dense("Name: <unknown>, " + rest.formatted("int64"), SHAPE, none(I64), NO_NAMES, example());
    }

    @Test
    void aBatchNamesTheExampleWhoseFeatureHasAnotherType() {
        String where = "Name: in1, Key: a, Index: 1.  " + TYPES;
        byte[] wrong = example(entry("a", longs(1)));
        dense(where + "Data type: int64 but expected type: float", SHAPE, none(F32), NAMES, GOOD, wrong);
        dense(where + "Data type: int64 but expected type: float", Shape.of(-1), Tensor.scalar(0f), NAMES, GOOD, wrong);
        other(where + "Expected type: float, Actual type: int64", F32, GOOD, wrong);
        other(where + "Expected type: int64, Actual type: string", I64, wrong, example(entry("a", strings("x"))));
        other(where + "Expected type: string, Actual type: float", STRING, example(), GOOD);
    }

    @Test
    void aFeatureOfVariableLengthEndsWithAnElement() {
        dense(
                "Name: in1, Key: a, Index: 1.  Number of float values is not a multiple of stride length. Saw 3 values"
                        + " but output shape is: [?,2]",
                Shape.of(-1, 2),
                Tensor.scalar(0f),
                NAMES,
                example(entry("a", floats(1, 2))),
                GOOD);
        single(
                "Error while parsing feature with key a: number of elements should be divisible by 2, found 3 instead",
                Shape.of(-1, 2),
                Tensor.scalar(0f),
                GOOD);
    }

    @Test
    void whatCannotBeParsedIsShownWithTheReason() {
        String text = "Could not parse example input, value: '\\012\\177junk', index %d: Example: a field of 127 bytes"
                + " does not fit into 4, at byte 2 of 6";
        dense(text.formatted(1), SHAPE, none(F32), NAMES, GOOD, BROKEN);
        other(text.formatted(1), F32, GOOD, BROKEN);
        single(text.formatted(0), SHAPE, none(F32), BROKEN);
        sequence(text.formatted(0), Kind.CONTEXT_DENSE, F32, SHAPE, BROKEN);
        String id = "Invalid protocol message input, example id: %s, index 1: Example: a field of 127 bytes does not"
                + " fit into 4, at byte 2 of 6";
        sequences(id.formatted("in1"), Kind.CONTEXT_SPARSE, F32, SHAPE, NAMES, GOOD, BROKEN);
        sequences(id.formatted("<unknown>"), Kind.LIST_DENSE, F32, SHAPE, NO_NAMES, GOOD, BROKEN);
    }

    @Test
    void aBrokenListIsThatOfItsFeature() {
        byte[] wrong = example(entry("a", field(2, new byte[] {15, 0}))); // a field of wire type 7
        String why = "Example: there is no wire type 7, at byte 12 of 13";
        String where = "Name: in1, Key: a, Index: 1.  Can't parse serialized Example.  " + why;
        dense(where, SHAPE, none(F32), NAMES, GOOD, wrong);
        other(where, F32, GOOD, wrong);
        single("Key: a.  Can't parse serialized Example: Parsing float_list failed.  " + why, SHAPE, none(F32), wrong);
    }

    @Test
    void oneExampleNeedsNoName() {
        String rest = "Values size: 2 but output shape: [1,3]", slice = " slice was not parsed.  ";
        String where = "Key: a.  Can't parse serialized Example: Some ";
        single(where + "float_list" + slice + rest, SHAPE, none(F32), example(entry("a", floats(1, 2))));
        single(where + "int64_list" + slice + rest, SHAPE, none(I64), example(entry("a", longs(1, 2))));
        single(where + "bytes_list" + slice + rest, SHAPE, none(STRING), example(entry("a", strings("", ""))));
        single("Feature: a (data type: float) is required but could not be found.", SHAPE, none(F32), example());
        single("Key: a.  " + TYPES + "Data type: float but expected type: int64", SHAPE, none(I64), GOOD);
        refused(
                "Key: a.  " + TYPES + "Expected type: int64, Actual type: float",
                new ParseSingleExample(1, List.of("a"), List.of(), List.of(I64), List.of()),
                one(GOOD));
    }

    @Test
    void namesAreAsManyAsExamples() {
        dense(
                "Expected names have the same shape as serialized: name.shape=[1], serialized.shape=[2]",
                SHAPE,
                none(F32),
                texts("x"),
                GOOD,
                GOOD);
        sequences(
                "example_names must be empty or have the correct number of elements: 2, got 1",
                Kind.CONTEXT_SPARSE,
                F32,
                SHAPE,
                texts("x"),
                GOOD,
                GOOD);
    }

    @Test
    void defaultsHaveTheShapeOfTheirFeature() {
        Tensor two = Tensor.zeros(F32, Shape.of(2));
        String text = "def_value[0].shape() == [2] is not compatible with dense_shapes_[0] == [1,3]";
        dense(text, SHAPE, two, NO_NAMES, GOOD);
        single(text, SHAPE, two, GOOD);
        String padding = "dense_shape[0] is a variable length shape: [?], therefore def_value[0] must contain a single"
                + " element (the padding element).  But its shape is: [2]";
        dense(padding, Shape.of(-1), two, NO_NAMES, GOOD);
        single(padding, Shape.of(-1), two, GOOD);
        dense(
                "dense_shapes[0] has unknown rank or unknown inner dimensions: [1,?]",
                Shape.of(1, -1),
                two,
                NO_NAMES,
                GOOD);
        sequences(
                "Shape [?] is not fully defined, in context_dense_shapes",
                Kind.CONTEXT_DENSE,
                F32,
                Shape.of(-1),
                NO_NAMES,
                GOOD);
        refused(
                "def_value[0].shape() == [2] != context_dense_shapes_[0] == [1,3]",
                new ParseSingleSequenceExample(
                        0, 1, 0, 0, List.of(), List.of(F32), List.of(), List.of(SHAPE), List.of(), List.of()),
                one(GOOD),
                texts(),
                Tensor.scalar("a"),
                two,
                Tensor.scalar("in1"));
    }

    @Test
    void contextsOfABatchHaveTheSizeOfTheLargest() {
        byte[] two = example(entry("a", floats(1, 2))), four = example(entry("a", floats(1, 2, 3, 4)));
        Kind kind = Kind.CONTEXT_DENSE;
        sequences(
                "Unexpected number of elements in example in1: feature a has 2, expected 3",
                kind,
                F32,
                SHAPE,
                NAMES,
                GOOD,
                two);
        sequences(
                "Unexpected number of elements in example <unknown>: feature a has 0, expected 3",
                kind,
                F32,
                SHAPE,
                NO_NAMES,
                GOOD,
                example(entry("a", NOTHING)));
        String largest = "Inconsistent max number of elements for feature a: expected 3, but found ";
        sequences(largest + 2, kind, F32, SHAPE, NAMES, two, two);
        sequences(largest + 4, kind, F32, SHAPE, NAMES, GOOD, four);
        sequences(largest + 0, kind, F32, SHAPE, NAMES, NOTHING, NOTHING);
        sequencesV2(largest + 2, kind, F32, SHAPE, one(two), Tensor.scalar("in1"));
        String missing = "Feature: a (data type: float) is required but could not be found.";
        sequences(missing, kind, F32, SHAPE, NAMES, GOOD, NOTHING);
    }

    @Test
    void featuresOfSequencesNameTheirTypes() {
        String context = "Name: in1, Context feature: a.  " + TYPES + "Expected type: float  Feature is: int64_list";
        byte[] wrong = example(entry("a", longs(1)));
        for (Kind k : List.of(Kind.CONTEXT_DENSE, Kind.CONTEXT_SPARSE, Kind.CONTEXT_RAGGED))
            sequences(context, k, F32, SHAPE, NAMES, GOOD, wrong);
        for (Kind k : List.of(Kind.CONTEXT_DENSE, Kind.CONTEXT_SPARSE)) sequence(context, k, F32, SHAPE, wrong);
        sequence(
                "Name: in1, Context feature: a.  " + TYPES + "Expected type: float  Feature is: empty",
                Kind.CONTEXT_DENSE,
                F32,
                SHAPE,
                example(entry("a", NOTHING)));
        String where = "Name: in1, Feature %s: a, Index: 2.  " + TYPES + "Expected type: int64  Feature is: float_list";
        byte[] lists = list(longs(3, 4), longs(1, 2), floats(2, 3));
        for (Kind k : List.of(Kind.LIST_DENSE, Kind.LIST_SPARSE, Kind.LIST_RAGGED))
            sequences(where.formatted("list"), k, I64, Shape.of(2), NAMES, list(), lists);
        sequence(where.formatted("list"), Kind.LIST_DENSE, I64, Shape.of(2), lists);
        sequence(where.formatted("List"), Kind.LIST_SPARSE, I64, Shape.of(2), lists);
    }

    @Test
    void oneSequenceNamesWhatIsMissingOrHasTheWrongSize() {
        sequence(
                "Name: in1, Context feature 'a' is required but could not be found.",
                Kind.CONTEXT_DENSE,
                F32,
                SHAPE,
                NOTHING);
        String expected = " values != expected.  ", shape = "alues size: 2 but output shape: [1,3]";
        sequence(
                "Name: in1, Key: a, Index: 0.  Number of float" + expected + "v" + shape,
                Kind.CONTEXT_DENSE,
                F32,
                SHAPE,
                example(entry("a", floats(1, 2))));
        sequence(
                "Name: in1, Key a, Index: 0.  Number of bytes" + expected + "V" + shape,
                Kind.CONTEXT_DENSE,
                STRING,
                SHAPE,
                example(entry("a", strings("x", "y"))));
        sequence(
                "Name: in1, Key: a, Index: 1.  Number of int64" + expected + "values size: 3 but output shape: [2]",
                Kind.LIST_DENSE,
                I64,
                Shape.of(2),
                list(longs(2, 3), longs(2, 3, 4)));
    }

    @Test
    void listsOfABatchHaveStepsOfOneSize() {
        Shape two = Shape.of(2);
        String required = "Name: in1, Feature list 'a' is required but could not be found.  Did you mean to include it"
                + " in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?";
        sequences(required, Kind.LIST_DENSE, F32, two, NAMES, list(floats(1, 2)), NOTHING);
        sequence(required, Kind.LIST_DENSE, F32, two, NOTHING);
        sequences(
                "Feature list 'a' has an unexpected number of values.  Total values size: 5 is not consistent with"
                        + " output shape: [?,2]",
                Kind.LIST_DENSE,
                F32,
                two,
                NAMES,
                list(floats(1, 2)),
                list(floats(1, 2), floats(1, 2, 3)));
        sequences(
                "Name: in1, Key: a, Index: 0.  Number of values != expected.  values size: 1 but output shape: [2]",
                Kind.LIST_DENSE,
                F32,
                two,
                NAMES,
                list(floats(1, 2)),
                list(floats(1), floats(1, 2, 3)));
    }

    @Test
    void noFeatureIsAskedForInTwoWays() {
        Tensor flags = Tensor.zeros(DType.BOOL, Shape.of(0)), a = texts("a");
        List<DType> float1 = List.of(F32), long1 = List.of(I64), no = List.of();
        Op contexts = new ParseSequenceExampleV2(1, float1, float1, long1, List.of(), 0, 0, no, no, no, no, List.of());
        refused(
                "Context feature a cannot be both ragged and sparse",
                contexts,
                rows(GOOD),
                texts(),
                a,
                texts(),
                a,
                texts(),
                texts(),
                texts(),
                flags);
        Op lists = new ParseSequenceExampleV2(0, no, no, no, List.of(), 1, 0, no, float1, float1, long1, List.of());
        refused(
                "Sequence feature a cannot be both ragged and sparse",
                lists,
                rows(GOOD),
                texts(),
                texts(),
                texts(),
                texts(),
                a,
                texts(),
                a,
                flags);
        Op dense = new ParseSequenceExample(
                List.of(),
                List.of("a"),
                List.of("a"),
                List.of(),
                List.of(),
                1,
                1,
                0,
                0,
                float1,
                no,
                List.of(SHAPE),
                no,
                List.of());
        refused("Context feature a cannot be both dense and sparse", dense, rows(GOOD), texts(), none(F32));
    }
}
