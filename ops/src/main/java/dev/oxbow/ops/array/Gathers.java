package dev.oxbow.ops.array;

import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;

/** What gradients of gathers share. */
final class Gathers {
    private Gathers() {}

    /** The rows of {@code dy} at {@code indices} of {@code x}, as a sparse gradient. */
    static Value rows(Value x, Value indices, Value dy) {
        Ops ops = x.ops();
        Value shape = x.runtimeShape(), zero = ops.constant(DType.I32, 0);
        Value row = Value.apply(new StridedSlice(0, 1, 0, 0, 0), shape, vector(ops, 1), vector(ops, 0), vector(ops, 1));
        Value rows = Value.apply(new ConcatV2(), vector(ops, -1), row, zero);
        Value flat = indices.reshape(-1);
        boolean open = !x.shape().isFullyKnown() || x.shape().size() == 0;
        if (open) rows = Value.apply(new ConcatV2(), flat.runtimeSize().reshape(1), row, zero);
        return new Slices(dy.reshape(rows), flat, shape);
    }

    /** The first dimension as an i32 scalar. */
    static Value firstDim(Value x) {
        return element(x.runtimeShape(), 0);
    }

    /** Element {@code i} of a vector. */
    static Value element(Value v, int i) {
        Ops ops = v.ops();
        return Value.apply(new StridedSlice(0, 0, 0, 0, 1), v, vector(ops, i), vector(ops, i + 1), vector(ops, 1));
    }

    private static Value vector(Ops ops, int element) {
        return ops.constant(new int[] {element});
    }
}
