package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** What paddings share: two numbers for each dimension, ahead of it and behind it. */
final class Paddings {
    private Paddings() {}

    /** The padded shape; {@code sign} -1 takes the padding away. */
    static Shape infer(InferenceContext c, int sign) {
        Shape x = c.shape(0), p = c.shape(1);
        require(
                p.rank() < 0 || p.rank() == 2 && (p.dim(1) < 0 || p.dim(1) == 2),
                INVALID_ARGUMENT,
                "paddings must be a matrix with 2 columns: %s",
                p);
        if (!x.isRankKnown()) return Shape.ofRank(p.dim(0));
        require(
                p.rank() < 0 || p.dim(0) < 0 || p.dim(0) == x.rank(),
                INVALID_ARGUMENT,
                "The first dimension of paddings must be the rank of inputs %s, got %s",
                x,
                p);
        long[] v = c.longs(1), dims = x.dims();
        if (v == null) return Shape.ofRank(x.rank());
        for (int d = 0; d < dims.length; d++) {
            require(
                    v[2 * d] >= 0 && v[2 * d + 1] >= 0,
                    INVALID_ARGUMENT,
                    "Paddings must be non-negative: %d %d",
                    v[2 * d],
                    v[2 * d + 1]);
            if (dims[d] < 0) continue;
            long border = Counts.plus(v[2 * d], v[2 * d + 1]);
            dims[d] = sign > 0 ? Counts.plus(dims[d], border) : dims[d] - border;
            require(
                    dims[d] >= 0,
                    INVALID_ARGUMENT,
                    "paddings %d and %d do not fit dimension %d of %s",
                    v[2 * d],
                    v[2 * d + 1],
                    d,
                    x);
        }
        return Shape.of(dims);
    }

    /** What goes ahead of each dimension. */
    static long[] before(Tensor paddings) {
        long[] v = Arguments.longs(paddings), before = new long[v.length / 2];
        for (int d = 0; d < before.length; d++) before[d] = v[2 * d];
        return before;
    }

    /** The middle of dy, without what was padded. */
    static Value crop(GradientContext g) {
        Value x = g.input(0), paddings = g.input(1).cast(DType.I32);
        Value ahead = Value.applyAll(new Unpack(2, 1), paddings).get(0);
        return Value.apply(new Slice(), g.gradient(0), ahead, x.runtimeShape());
    }

    /** Checks that a mirror is no wider than what it mirrors. */
    static void mirror(Shape inner, long[] paddings, int offset) {
        for (int d = 0; d < inner.rank(); d++) {
            long most = inner.dim(d) - offset;
            require(
                    inner.dim(d) < 0 || paddings[2 * d] <= most && paddings[2 * d + 1] <= most,
                    INVALID_ARGUMENT,
                    "paddings must be no greater than the dimension size less %d: %d, %d greater than %d",
                    offset,
                    paddings[2 * d],
                    paddings[2 * d + 1],
                    most);
        }
    }
}
