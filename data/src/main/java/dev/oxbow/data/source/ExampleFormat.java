package dev.oxbow.data.source;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Feature;
import dev.oxbow.wire.Features;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Which features of Examples become tensors of a sample. */
public record ExampleFormat(List<Field> fields) {

    /**
     * A feature.
     *
     * @param shape of its tensor; one dimension may be -1 and is then what the number of values makes it
     * @param optional whether it may be missing: then all are zeros, or empty strings, or none where a dimension is -1
     */
    public record Field(String name, DType dtype, Shape shape, boolean optional) {
        public Field {
            require(
                    dtype == DType.F32 || dtype == DType.I64 || dtype == DType.STRING,
                    INVALID_ARGUMENT,
                    "example: features are f32, i64 or string, feature '%s' can not be %s",
                    name,
                    dtype);
        }
    }

    public ExampleFormat {
        fields = List.copyOf(fields);
    }

    public static ExampleFormat of() {
        return new ExampleFormat(List.of());
    }

    /** With a feature that must be there. */
    public ExampleFormat with(String name, DType dtype, long... shape) {
        return with(new Field(name, dtype, Shape.of(shape), false));
    }

    public ExampleFormat with(Field field) {
        List<Field> all = new ArrayList<>(fields);
        all.add(field);
        return new ExampleFormat(all);
    }

    /** The features of an Example. */
    public Sample parse(Record example) {
        List<Tensor> all = new ArrayList<>();
        try {
            Features features = Features.ofExample(example.bytes());
            for (Field f : fields) all.add(tensor(example, features, f));
            return new Sample(all);
        } catch (OxbowException e) {
            all.forEach(Tensor::close);
            throw e.text().startsWith(example.file()) ? e : example.broken("%s", e.text());
        }
    }

    private static Tensor tensor(Record example, Features features, Field f) {
        Feature feature = features.get(f.name.getBytes(StandardCharsets.UTF_8));
        if (feature == null || feature.kind() == Feature.Kind.NONE) {
            if (!f.optional) throw example.broken("there is no feature '%s', only %s", f.name, features.names());
            return Tensor.zeros(f.dtype, resolved(example, f, 0, f.shape));
        }
        Feature.Kind wanted = f.dtype == DType.F32
                ? Feature.Kind.FLOATS
                : f.dtype == DType.I64 ? Feature.Kind.LONGS : Feature.Kind.BYTES;
        if (feature.kind() != wanted)
            throw example.broken("feature '%s' is a list of %s, wanted is %s", f.name, feature.kind(), wanted);
        return switch (wanted) {
            case FLOATS -> {
                float[] v = feature.floats();
                yield Tensor.of(resolved(example, f, v.length, null), v);
            }
            case LONGS -> {
                long[] v = feature.longs();
                yield Tensor.of(resolved(example, f, v.length, null), v);
            }
            default -> {
                byte[][] v = feature.strings();
                yield Tensor.ofObjects(DType.STRING, resolved(example, f, v.length, null), (Object[]) v);
            }
        };
    }

    /** The shape with its open dimension, for so many values; with {@code missing} none need be there. */
    private static Shape resolved(Record example, Field f, long values, Shape missing) {
        long[] dims = f.shape.dims();
        long known = 1;
        int open = -1;
        for (int d = 0; d < dims.length; d++) {
            if (dims[d] < 0) open = d;
            else known *= dims[d];
        }
        if (open >= 0) dims[open] = known == 0 ? 0 : values / known;
        Shape shape = Shape.of(dims);
        if (missing == null && shape.size() != values)
            throw example.broken("feature '%s' has %d values, wanted is %s", f.name, values, f.shape);
        return shape;
    }
}
