package dev.oxbow.ops.signal;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.Fill;
import dev.oxbow.ops.array.Pad;
import dev.oxbow.ops.array.Range;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.ops.math.FloorDiv;
import dev.oxbow.ops.math.Prod;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What Fourier transforms over the last one to three axes share. */
final class Transforms {
    private Transforms() {}

    private static Shape input(InferenceContext c, int axes) {
        Shape x = c.shape(0);
        require(
                !x.isRankKnown() || x.rank() >= axes,
                INVALID_ARGUMENT,
                "Input must have rank of at least %d but got: %s",
                axes,
                x);
        return x;
    }

    static List<TensorType> complex(InferenceContext c, int axes) {
        input(c, axes);
        return List.of(c.input(0));
    }

    static List<TensorType> fromReal(InferenceContext c, int axes) {
        return ofLengths(c, axes, true);
    }

    static List<TensorType> toReal(InferenceContext c, int axes) {
        return ofLengths(c, axes, false);
    }

    private static List<TensorType> ofLengths(InferenceContext c, int axes, boolean half) {
        Shape x = input(c, axes), l = c.shape(1);
        require(
                !l.isRankKnown() || l.rank() == 1 && (l.dim(0) < 0 || l.dim(0) == axes),
                INVALID_ARGUMENT,
                "fft_length must have shape [%d], got %s",
                axes,
                l);
        if (!x.isRankKnown()) return List.of(TensorType.of(c.outputDtype(0)));
        long[] lengths = c.longs(1);
        Shape y = x;
        for (int i = 0; i < axes; i++) {
            long n = lengths == null ? -1 : lengths[i];
            require(lengths == null || n >= 0, INVALID_ARGUMENT, "fft_length[%d] must be >= 0, got %d", i, n);
            y = y.withDim(i - axes, i < axes - 1 || !half || n < 0 ? n : n == 0 ? 0 : n / 2 + 1);
        }
        return List.of(new TensorType(c.outputDtype(0), y));
    }

    /** The lengths that input 1 gives, after checking that input 0 (half of a transform or not) is long enough. */
    static long[] lengths(KernelContext c, boolean half) {
        Tensor t = c.input(1);
        Shape x = c.input(0).shape();
        long[] lengths = new long[Counts.toInt(t.size())];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = t.getLong(i);
            long least = half && i == lengths.length - 1 && lengths[i] > 0 ? lengths[i] / 2 + 1 : lengths[i];
            long n = x.dim(i - lengths.length);
            require(
                    n == 0 || n >= least,
                    INVALID_ARGUMENT,
                    "Input dimension %d must have length of at least %d but got: %d",
                    x.rank() - lengths.length + i,
                    least,
                    n);
        }
        return lengths;
    }

    /** The number of elements of the last axes, in the dtype of {@code x}. */
    static Value size(Value x, int axes) {
        Value zero = x.ops().constant(new int[] {0});
        return Value.apply(new Prod(false), part(x.runtimeShape(), -axes, 0), zero)
                .cast(x.dtype());
    }

    /** Elements {@code [from, to)} of a vector; to its end when {@code to} is 0. */
    private static Value part(Value v, int from, int to) {
        return Value.apply(
                new StridedSlice(0, to == 0 ? 1 : 0, 0, 0, 0),
                v,
                v.ops().constant(new int[] {from}),
                v.ops().constant(new int[] {to}),
                v.ops().constant(new int[] {1}));
    }

    /** {@code x} with zeros behind its last axis up to the size of {@code like}. */
    static Value filled(Value x, Value like) {
        Value missing = like.runtimeShape().minus(x.runtimeShape()), none = missing.times(0);
        Value last = Value.apply(
                new Range(),
                x.ops().constant(DType.I32, 0),
                x.runtimeRank(),
                x.ops().constant(DType.I32, 1));
        Value isLast = last.equalTo(x.runtimeRank().minus(1)).cast(DType.I32);
        Value behind = missing.times(isLast);
        Value one = x.ops().constant(DType.I32, 1);
        Value paddings = Value.apply(new ConcatV2(), none.expandDims(-1), behind.expandDims(-1), one);
        return Value.apply(new Pad(), x, paddings);
    }

    /** 2 for elements of the last axis that stand for their mirror image too, else 1. */
    static Value mirrored(Value lengths, Value half) {
        Value n = part(lengths, -1, 0), count = part(half.runtimeShape(), -1, 0);
        Value one = lengths.ops().constant(new int[] {1}), two = lengths.ops().constant(new int[] {2});
        Value odd = n.minus(Value.apply(new FloorDiv(), n, two).times(two));
        Value ones = lengths.ops().constant(1.0f), twos = lengths.ops().constant(2.0f);
        return Value.apply(
                new ConcatV2(),
                Value.apply(new Fill(), one, ones),
                Value.apply(new Fill(), count.minus(two).plus(odd), twos),
                Value.apply(new Fill(), one.minus(odd), ones),
                lengths.ops().constant(DType.I32, 0));
    }
}
