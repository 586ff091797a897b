package dev.oxbow.ops.array;

import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.UnsortedSegmentSum;

/** What gradients of gathers share. */
final class Gathers {
    private Gathers() {}

    /** Zeros in the shape of {@code x} with the rows of {@code dy} added at {@code indices}. */
    static Value scatterRows(Value x, Value indices, Value dy) {
        Value rows = firstDim(x);
        return Value.apply(new UnsortedSegmentSum(), dy, indices, rows).reshape(x.runtimeShape());
    }

    /** The first dimension as an i32 scalar. */
    static Value firstDim(Value x) {
        return element(x.runtimeShape(), 0);
    }

    /** Element {@code i} of a vector. */
    static Value element(Value v, int i) {
        Ops ops = v.ops();
        return Value.apply(
                new StridedSlice(0, 0, 0, 0, 1),
                v,
                ops.constant(new int[] {i}),
                ops.constant(new int[] {i + 1}),
                ops.constant(new int[] {1}));
    }
}
