package dev.oxbow.train.layer;

import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;

/** Reshapes to dimensions that may be unknown until a run. */
final class Shapes {
    private Shapes() {}

    /** The size of an axis in a run, as an i32 scalar. */
    static Value size(Value x, int axis) {
        Ops ops = x.ops();
        return Value.apply(
                new StridedSlice(0, 0, 0, 0, 1),
                x.runtimeShape(),
                ops.constant(new int[] {axis}),
                ops.constant(new int[] {axis + 1}),
                ops.constant(new int[] {1}));
    }

    /** The vector of two sizes. */
    static Value packed(Value batch, int n) {
        return Value.stack(0, batch, batch.ops().constant(DType.I32, n));
    }

    /** Zeros of shape [batch, n]. */
    static Value zeros(DType dtype, Value batch, int n) {
        return Value.apply(new BroadcastTo(), batch.ops().constant(dtype, 0), packed(batch, n));
    }

    /** Rows of n numbers, for who does not know yet that they are. */
    static Value rows(Value x, long n) {
        return x.shape().rank() == 2 && x.shape().dim(1) == n ? x : x.reshape(-1, n);
    }

    /** {@code rows} with the shape of {@code like}, its last dimension replaced. */
    static Value withLast(Value rows, Value like, long last) {
        int rank = like.shape().rank();
        Shape to = like.shape().withDim(rank - 1, last);
        if (Arrays.stream(to.dims()).filter(d -> d < 0).count() <= 1) return rows.reshape(to.dims());
        Value zero = like.ops().constant(new int[] {0}), end = like.ops().constant(new int[] {-1});
        Value outer = Value.apply(
                new StridedSlice(1, 0, 0, 0, 0),
                like.runtimeShape(),
                zero,
                end,
                like.ops().constant(new int[] {1}));
        Value whole = Value.apply(
                new ConcatV2(),
                outer,
                like.ops().constant(new int[] {Math.toIntExact(last)}),
                like.ops().constant(DType.I32, 0));
        return rows.reshape(whole);
    }
}
