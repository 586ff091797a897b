package dev.oxbow.data.source;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.memory.RowPlaces;
import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Row;
import dev.oxbow.data.pipeline.RowMapper;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Feature;
import dev.oxbow.wire.Features;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Which features of Examples become tensors of a sample: {@code records.map("parse", 0, format)}. */
public record ExampleFormat(List<Field> fields) implements RowMapper<Record> {

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

    @Override
    public Optional<List<Row.Column>> columns() {
        return fields.stream().allMatch(f -> f.shape.isFullyKnown())
                ? Optional.of(fields.stream()
                        .map(f -> new Row.Column(f.dtype, f.shape))
                        .toList())
                : Optional.empty();
    }

    @Override
    public void write(Record example, Draw draw, Row to) {
        RowPlaces row = RowPlaces.of(to);
        try {
            Features features = Features.ofExample(example.bytes());
            for (int i = 0; i < fields.size(); i++) {
                Field f = fields.get(i);
                int wanted = Math.toIntExact(f.shape.size());
                Feature feature = feature(example, features, f);
                int found = feature == null ? none(f, wanted, row, i) : put(feature, wanted, row, i);
                if (found != wanted)
                    throw example.broken("feature '%s' has %d values, wanted is %s", f.name, found, f.shape);
            }
        } catch (OxbowException e) {
            throw named(example, e);
        }
    }

    @Override
    public RowMapper<Record> forRows() {
        return new ExampleRows(this);
    }

    private static int put(Feature feature, int wanted, RowPlaces row, int column) {
        return switch (feature.kind()) {
            case FLOATS -> feature.putFloats(row.address(column), wanted);
            case LONGS -> feature.putLongs(row.address(column), wanted);
            default -> feature.putStrings(row.objects(column), row.first(column), wanted);
        };
    }

    private static int none(Field f, int wanted, RowPlaces row, int column) {
        if (f.dtype == DType.STRING)
            Arrays.fill(row.objects(column), row.first(column), row.first(column) + wanted, new byte[0]);
        else Memory.zero(row.address(column), (long) wanted * f.dtype.size());
        return wanted;
    }

    @Override
    public Sample apply(Record example, Draw draw) {
        return parse(example);
    }

    /** The features of an Example. */
    public Sample parse(Record example) {
        if (columns().isPresent()) return RowMapper.super.apply(example, null);
        List<Tensor> all = new ArrayList<>();
        try {
            Features features = Features.ofExample(example.bytes());
            for (Field f : fields) all.add(tensor(example, features, f));
            return new Sample(all);
        } catch (OxbowException e) {
            all.forEach(Tensor::close);
            throw named(example, e);
        }
    }

    /** For lists of steps, which are all of one shape. */
    static void requireKnown(Field f) {
        require(
                f.shape.isFullyKnown(),
                INVALID_ARGUMENT,
                "example: steps of list '%s' must have one shape, got %s",
                f.name,
                f.shape);
    }

    static OxbowException named(Record example, OxbowException e) {
        return e.text().startsWith(example.file()) ? e : example.broken("%s", e.text());
    }

    /** The feature of a field, which has its kind; null where it is missing and may be. */
    private static Feature feature(Record example, Features features, Field f) {
        Feature feature = features.get(f.name);
        if (feature == null || feature.kind() == Feature.Kind.NONE) {
            if (!f.optional) throw example.broken("there is no feature '%s', only %s", f.name, features.names());
            return null;
        }
        if (feature.kind() != kind(f.dtype))
            throw example.broken("feature '%s' is a list of %s, wanted is %s", f.name, feature.kind(), kind(f.dtype));
        return feature;
    }

    static Feature.Kind kind(DType dtype) {
        return dtype == DType.F32 ? Feature.Kind.FLOATS : dtype == DType.I64 ? Feature.Kind.LONGS : Feature.Kind.BYTES;
    }

    private static Tensor tensor(Record example, Features features, Field f) {
        Feature feature = feature(example, features, f);
        if (feature == null) return Tensor.zeros(f.dtype, resolved(example, f, 0, f.shape));
        return switch (feature.kind()) {
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
