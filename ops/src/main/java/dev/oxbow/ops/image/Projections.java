package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.linalg.MatrixInverse;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Images seen through projections: each place of the output is read at another one of the input. */
final class Projections {
    private Projections() {}

    private enum Fill {
        CONSTANT,
        REFLECT,
        WRAP,
        NEAREST;

        /** Where a place outside of {@code length} is read. */
        float inside(float at, long length) {
            float in = at;
            switch (this) {
                case CONSTANT -> {
                    return in;
                }
                case REFLECT -> {
                    if (length > 1 && in < 0) {
                        long both = 2 * length;
                        if (in < both) in = both * (long) (-in / both) + in;
                        in = in < -length ? in + both : -in - 1;
                    } else if (length > 1 && in > length - 1) {
                        long both = 2 * length;
                        in -= both * (long) (in / both);
                        if (in >= length) in = both - in - 1;
                    }
                }
                case WRAP -> {
                    if (length > 1 && in < 0) in += length * ((long) (-in / (length - 1)) + 1);
                    else if (length > 1 && in > length - 1) in -= length * (long) (in / (length - 1));
                }
                case NEAREST -> {}
            }
            return Math.min(Math.max(in, 0), length - 1);
        }
    }

    static List<TensorType> infer(InferenceContext c, String interpolation, String fillMode) {
        c.rank(0, 4);
        c.rank(1, 2);
        c.dim(1, 1, 8);
        c.vector(2, 2);
        Shape images = c.shape(0), transforms = c.shape(1);
        require(
                !images.isRankKnown()
                        || !transforms.isRankKnown()
                        || images.dim(0) < 0
                        || transforms.dim(0) < 0
                        || transforms.dim(0) == 1
                        || transforms.dim(0) == images.dim(0),
                INVALID_ARGUMENT,
                "transforms must have one row, or one for each image, got %s for %s",
                transforms,
                images);
        require(
                List.of("NEAREST", "BILINEAR").contains(interpolation.toUpperCase(Locale.ROOT)),
                INVALID_ARGUMENT,
                "Invalid interpolation %s. Supported types: NEAREST, BILINEAR",
                interpolation);
        require(
                Arrays.stream(Fill.values()).anyMatch(f -> f.name().equals(fillMode.toUpperCase(Locale.ROOT))),
                INVALID_ARGUMENT,
                "Invalid mode %s. Supported types: REFLECT, WRAP, CONSTANT, NEAREST",
                fillMode);
        long[] size = c.longs(2);
        require(
                size == null || size[0] > 0 && size[1] > 0,
                INVALID_ARGUMENT,
                "output_shape must have two positive elements, got %s",
                Arrays.toString(size));
        return List.of(new TensorType(
                c.dtype(0),
                Shape.of(
                        images.isRankKnown() ? images.dim(0) : -1,
                        size == null ? -1 : size[0],
                        size == null ? -1 : size[1],
                        images.isRankKnown() ? images.dim(3) : -1)));
    }

    /** Fills output 0; {@code outside} is the value of places that are not read. */
    static void run(KernelContext c, String interpolation, String fillMode, double outside) {
        Tensor x = c.input(0), transforms = c.input(1), y = c.output(0);
        if (y.size() == 0) return;
        Fill fill = Fill.valueOf(fillMode.toUpperCase(Locale.ROOT));
        boolean nearest = interpolation.equalsIgnoreCase("NEAREST");
        long height = y.shape().dim(1),
                width = y.shape().dim(2),
                depth = y.shape().dim(3);
        Reading in = new Reading(x, outside);
        c.parallel().run(y.shape().dim(0) * height, 4, (from, to) -> {
            for (long line = from; line < to; line++) {
                long image = line / height, row = line % height;
                long t = transforms.shape().dim(0) == 1 ? 0 : image * 8;
                float[] m = new float[8];
                for (int i = 0; i < 8; i++) m[i] = (float) transforms.getDouble(t + i);
                for (long column = 0; column < width; column++) {
                    float scale = m[6] * column + m[7] * row + 1;
                    long at = (line * width + column) * depth;
                    if (scale == 0) {
                        for (long k = 0; k < depth; k++) in.put(y, at + k, outside);
                        continue;
                    }
                    float u = fill.inside(
                            (m[0] * column + m[1] * row + m[2]) / scale,
                            x.shape().dim(2));
                    float v = fill.inside(
                            (m[3] * column + m[4] * row + m[5]) / scale,
                            x.shape().dim(1));
                    for (long k = 0; k < depth; k++)
                        in.put(y, at + k, nearest ? in.at(image, round(v), round(u), k) : in.between(image, v, u, k));
                }
            }
        });
    }

    /** Halves go away from zero. */
    private static long round(float x) {
        return (long) (x < 0 ? Math.ceil(x - 0.5f) : Math.floor(x + 0.5f));
    }

    private record Reading(Tensor x, double outside) {
        double at(long image, long row, long column, long channel) {
            Shape s = x.shape();
            if (row < 0 || row >= s.dim(1) || column < 0 || column >= s.dim(2)) return outside;
            long i = ((image * s.dim(1) + row) * s.dim(2) + column) * s.dim(3) + channel;
            return x.dtype().isInteger() ? x.getLong(i) : x.getDouble(i);
        }

        double between(long image, float v, float u, long channel) {
            float top = (float) Math.floor(v), left = (float) Math.floor(u), bottom = top + 1, right = left + 1;
            float above = (right - u) * (float) at(image, (long) top, (long) left, channel)
                    + (u - left) * (float) at(image, (long) top, (long) right, channel);
            float below = (right - u) * (float) at(image, (long) bottom, (long) left, channel)
                    + (u - left) * (float) at(image, (long) bottom, (long) right, channel);
            return (bottom - v) * above + (v - top) * below;
        }

        void put(Tensor y, long i, double value) {
            if (y.dtype().isInteger()) y.setLong(i, (long) value);
            else y.set(i, value);
        }
    }

    /** Projections that undo others. */
    static Value inverse(Value transforms) {
        Value ones = transforms.slice(1, 0, 1).times(0).plus(1);
        Value matrices = Value.concat(1, transforms, ones).reshape(-1, 3, 3);
        Value rows = Value.apply(new MatrixInverse(false), matrices).reshape(-1, 9);
        Value last = rows.slice(1, 8, 1);
        return rows.dividedBy(last).slice(1, 0, 8);
    }
}
