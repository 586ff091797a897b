package dev.oxbow.ops.parse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Feature;

/**
 * What is wrong with an example: which one, its feature and both values. Programs match the words, which are TensorFlow's and
 * differ from op to op; what they leave out stands behind them.
 */
final class ExampleErrors {
    /** How an op speaks. */
    private enum Style {
        EXAMPLES,
        EXAMPLE,
        SEQUENCES,
        SEQUENCE
    }

    /** In place of a step: the feature is no list of steps. */
    static final int NO_STEP = -1;

    private static final int SHOWN = 64;

    private final Style style;
    private final Object[] names;

    private ExampleErrors(Style style, Object... names) {
        this.style = style;
        this.names = names;
    }

    /** Errors of a batch of Examples, or of one where there is no batch; names are as many, or none. */
    static ExampleErrors ofExamples(Tensor serialized, Tensor names) {
        require(
                names.size() == 0 || names.shape().equals(serialized.shape()),
                INVALID_ARGUMENT,
                "Expected names have the same shape as serialized: name.shape=%s, serialized.shape=%s",
                names.shape(),
                serialized.shape());
        return new ExampleErrors(serialized.shape().rank() == 0 ? Style.EXAMPLE : Style.EXAMPLES, names.objects());
    }

    /** Errors of one Example without a name. */
    static ExampleErrors ofExample() {
        return new ExampleErrors(Style.EXAMPLE);
    }

    /** Errors of SequenceExamples; names are as many, or none. */
    static ExampleErrors ofSequences(Tensor serialized, Tensor names) {
        require(
                names.size() == 0 || names.size() == serialized.size(),
                INVALID_ARGUMENT,
                "example_names must be empty or have the correct number of elements: %d, got %d",
                serialized.size(),
                names.size());
        return new ExampleErrors(Style.SEQUENCES, names.objects());
    }

    /** Errors of one SequenceExample of a name. */
    static ExampleErrors ofSequence(Tensor name) {
        return new ExampleErrors(Style.SEQUENCE, name.objects());
    }

    /** Whether a feature without a list is there, with no values, instead of missing. */
    boolean countsEmpty() {
        return style == Style.SEQUENCES || style == Style.SEQUENCE;
    }

    /** Whether a dense feature without a list has the wrong type. */
    boolean refusesEmpty() {
        return style == Style.SEQUENCE;
    }

    /** Whether sizes are said of the largest of all rows before those of each. */
    boolean comparesLargest() {
        return style == Style.SEQUENCES;
    }

    private String name(int row) {
        return names.length == 0 ? "<unknown>" : FeatureColumns.text((byte[]) names[row]);
    }

    private static OxbowException error(String format, Object... arguments) {
        return new OxbowException(INVALID_ARGUMENT, format.formatted(arguments));
    }

    /** {@code Name: in1, Key: a, Index: 0} of a batch, {@code Key: a} without one. */
    private String key(int row, String key, int step) {
        return switch (style) {
            case EXAMPLES -> "Name: %s, Key: %s, Index: %d".formatted(name(row), key, row);
            case EXAMPLE -> "Key: %s".formatted(key);
            case SEQUENCES, SEQUENCE -> "Name: %s, Key: %s, Index: %d".formatted(name(row), key, Math.max(step, 0));
        };
    }

    private static String list(Feature.Kind kind) {
        return switch (kind) {
            case BYTES -> "bytes_list";
            case FLOATS -> "float_list";
            case LONGS -> "int64_list";
            case NONE -> "empty";
        };
    }

    private static String values(DType dtype) {
        return dtype == DType.STRING ? "bytes" : dtype.inWords();
    }

    private static String type(Feature.Kind kind) {
        return switch (kind) {
            case BYTES -> "string";
            case FLOATS -> "float";
            case LONGS -> "int64";
            case NONE -> "none";
        };
    }

    /** A feature, or a step of a list of them, has another type. */
    OxbowException type(int row, String key, int step, boolean dense, Feature.Kind kind, DType wanted) {
        String rule = "Data types don't match. ", type = wanted.inWords();
        if (!countsEmpty())
            return dense
                    ? error("%s.  %sData type: %s but expected type: %s", key(row, key, step), rule, type(kind), type)
                    : error("%s.  %sExpected type: %s, Actual type: %s", key(row, key, step), rule, type, type(kind));
        String word = style == Style.SEQUENCE && !dense ? "List" : "list";
        String where = step == NO_STEP
                ? "Context feature: %s".formatted(key)
                : "Feature %s: %s, Index: %d".formatted(word, key, step);
        return error("Name: %s, %s.  %sExpected type: %s  Feature is: %s", name(row), where, rule, type, list(kind));
    }

    /** A feature that must be there is not. */
    OxbowException missing(int row, String key, DType type) {
        String feature = "Feature: %s (data type: %s)".formatted(key, type.inWords());
        String what = switch (style) {
            case EXAMPLES -> "Name: %s, %s".formatted(name(row), feature);
            case EXAMPLE, SEQUENCES -> feature;
            case SEQUENCE -> "Name: %s, Context feature '%s'".formatted(name(row), key);
        };
        return error("%s is required but could not be found.", what);
    }

    /** A list that must be there is not. */
    OxbowException missingList(int row, String key) {
        return error(
                "Name: %s, Feature list '%s' is required but could not be found.  Did you mean to include it in"
                        + " feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
                name(row), key);
    }

    /** A feature, or a step of a list of them, has not the values that its shape needs. */
    OxbowException size(int row, String key, int step, DType type, int size, Shape shape) {
        String where = key(row, key, step);
        return switch (style) {
            case EXAMPLES ->
                error(
                        "%s.  Number of %s values != expected.  Values size: %d but output shape: %s",
                        where, values(type), size, shape);
            case EXAMPLE ->
                error(
                        "%s.  Can't parse serialized Example: Some %s_list slice was not parsed.  Values size: %d but"
                                + " output shape: %s",
                        where, values(type), size, shape);
            case SEQUENCES ->
                step == NO_STEP
                        ? error(
                                "Unexpected number of elements in example %s: feature %s has %d, expected %d",
                                name(row), key, size, shape.size())
                        : error(
                                "%s.  Number of values != expected.  values size: %d but output shape: %s",
                                where, size, shape);
            case SEQUENCE ->
                type == DType.STRING
                        ? error(
                                "%s.  Number of bytes values != expected.  Values size: %d but output shape: %s",
                                where.replaceFirst(", Key: ", ", Key "), size, shape)
                        : error(
                                "%s.  Number of %s values != expected.  values size: %d but output shape: %s",
                                where, values(type), size, shape);
        };
    }

    /** The largest of all rows has not the values that the shape needs. */
    static OxbowException largest(String key, Shape shape, int size) {
        return error(
                "Inconsistent max number of elements for feature %s: expected %d, but found %d",
                key, shape.size(), size);
    }

    /** The steps of the list with the most values have not so many of them that they are some steps. */
    static OxbowException total(String key, Shape shape, int size) {
        return error(
                "Feature list '%s' has an unexpected number of values.  Total values size: %d is not consistent with"
                        + " output shape: %s",
                key, size, Shape.of(-1).concat(shape));
    }

    /** A feature of a variable length ends within an element. */
    OxbowException stride(int row, String key, DType type, int size, Shape shape, int stride) {
        return style == Style.EXAMPLE
                ? error(
                        "Error while parsing feature with key %s: number of elements should be divisible by %d, found"
                                + " %d instead",
                        key, stride, size)
                : error(
                        "%s.  Number of %s values is not a multiple of stride length. Saw %d values but output shape"
                                + " is: %s",
                        key(row, key, NO_STEP), values(type), size, shape);
    }

    /** The list of a feature is broken. */
    OxbowException brokenFeature(int row, String key, Feature.Kind kind, OxbowException why) {
        String text = switch (style) {
            case EXAMPLES -> key(row, key, NO_STEP) + ".  Can't parse serialized Example.";
            case EXAMPLE -> "Key: %s.  Can't parse serialized Example: Parsing %s failed.".formatted(key, list(kind));
            case SEQUENCES -> "Invalid protocol message input, example id: %s, feature %s:".formatted(name(row), key);
            case SEQUENCE -> "Name: %s, feature %s: Could not parse example input:".formatted(name(row), key);
        };
        return new OxbowException(INVALID_ARGUMENT, text + "  " + why.text(), why);
    }

    /** A message is broken. */
    OxbowException broken(int row, byte[] message, OxbowException why) {
        String text = style == Style.SEQUENCES
                ? "Invalid protocol message input, example id: %s".formatted(name(row))
                : "Could not parse example input, value: '%s'".formatted(escaped(message));
        return new OxbowException(INVALID_ARGUMENT, "%s, index %d: %s".formatted(text, row, why.text()), why);
    }

    /** The first bytes of a message, as characters or their octal numbers. */
    private static String escaped(byte[] message) {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < Math.min(message.length, SHOWN); i++)
            if (message[i] >= ' ' && message[i] < 127 && message[i] != '\\') s.append((char) message[i]);
            else s.append("\\%03o".formatted(message[i] & 0xff));
        return message.length > SHOWN ? s.append("...").toString() : s.toString();
    }

    /** The default of the dense feature with this index has its shape, or is none. */
    void requireDefault(int index, Tensor value, Shape shape) {
        if (value.size() == 0 || value.shape().equals(shape)) return;
        throw switch (style) {
            case EXAMPLES, EXAMPLE ->
                error(
                        "def_value[%d].shape() == %s is not compatible with dense_shapes_[%d] == %s",
                        index, value.shape(), index, shape);
            case SEQUENCES ->
                error(
                        "default_value[%d].shape() == %s != context_dense_shapes[%d] == %s",
                        index, value.shape(), index, shape);
            case SEQUENCE ->
                error(
                        "def_value[%d].shape() == %s != context_dense_shapes_[%d] == %s",
                        index, value.shape(), index, shape);
        };
    }

    /** The default of a feature of a variable length is what its rows are padded with. */
    static void requirePadding(int index, Tensor value, Shape shape) {
        require(
                value.size() == 1,
                INVALID_ARGUMENT,
                "dense_shape[%d] is a variable length shape: %s, therefore def_value[%d] must contain a single element"
                        + " (the padding element).  But its shape is: %s",
                index,
                shape,
                index,
                value.shape());
    }
}
