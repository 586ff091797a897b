package dev.oxbow.ops.array;

import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.FloorDiv;
import dev.oxbow.ops.math.FloorMod;
import dev.oxbow.ops.math.Prod;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.tensor.DType;

/** The gradient of a gather along any axis with batch dimensions, from ops that move its axis to the front. */
public final class GatherGradients {
    private GatherGradients() {}

    /*
     * With batch dimensions b, outer dimensions o, indices i and inner dimensions r, dy is [b, o, i, r].
     * Flattened to [B, O, I, R] and turned to [B, I, O, R], every (batch, index) pair is a row that is
     * added to row batch * N + index of [B * N, O, R], where N is the length of the axis.
     */

    /** {@code dx} of a gather of {@code x} along an axis. */
    public static Value along(Value x, Value indices, Value dy, Value axis, int batchDims) {
        Ops ops = x.ops();
        Value zero = ops.constant(DType.I32, 0), one = ops.constant(DType.I32, 1);
        Value shape = x.runtimeShape(), rank = x.runtimeRank();
        Value at = Value.apply(new FloorMod(), axis.cast(DType.I32).plus(rank), rank);
        Value batch = batchDims >= 0
                ? ops.constant(DType.I32, batchDims)
                : indices.runtimeRank().plus(ops.constant(DType.I32, batchDims));
        Value b = product(shape, zero, batch), o = product(shape, batch, at);
        Value n = shape.gather(at, 0);
        Value r = product(shape, at.plus(one), rank);
        Value flat = Value.apply(new FloorDiv(), indices.runtimeSize(), b.maximum(one));
        Value rows = dy.reshape(Value.apply(new Pack(0), b, o, flat, r)).transpose(0, 2, 1, 3);
        Value start = Value.apply(new Range(), zero, b, one).times(n).reshape(-1, 1);
        Value matrix = indices.cast(DType.I32).reshape(Value.apply(new Pack(0), b, flat));
        Value segments = matrix.plus(start);
        Value sums = Value.apply(new UnsortedSegmentSum(), rows, segments, b.times(n));
        Value back = sums.reshape(Value.apply(new Pack(0), b, n, o, r)).transpose(0, 2, 1, 3);
        return back.reshape(shape);
    }

    /** The product of elements [from, to) of a vector. */
    private static Value product(Value v, Value from, Value to) {
        Ops ops = v.ops();
        Value one = ops.constant(DType.I32, 1), zero = ops.constant(DType.I32, 0);
        Value part = v.gather(Value.apply(new Range(), from, to, one), 0);
        return Value.apply(new Prod(false), part, zero);
    }
}
