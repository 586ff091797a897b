package dev.oxbow.ops.gradient;

import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.Shape;
import dev.oxbow.ops.array.ZerosLike;
import dev.oxbow.ops.state.VariableShape;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;

/** Values filled with one number in the shape of another value. */
final class Filled {
    private Filled() {}

    static Value ones(Value like) {
        return filled(like, 1);
    }

    /** Zeros of the type that a gradient of {@code like} has: of a variable's value for its handle, of a list for a list. */
    static Value zeros(Value like) {
        if (like.dtype() == DType.VARIANT) return Value.apply(new ZerosLike(), like);
        return filled(like, 0);
    }

    private static Value filled(Value like, double value) {
        Ops ops = like.ops();
        Value number = ops.constant(dtype(like), value);
        if (like.dtype() != DType.RESOURCE && like.shape().isScalar()) return number;
        return Value.apply(new BroadcastTo(), number, shape(like));
    }

    /** The dtype of the gradient of a value: its own, or that of the variable behind a handle. */
    static DType dtype(Value v) {
        return v.dtype() == DType.RESOURCE ? behind(v) : v.dtype();
    }

    private static DType behind(Value handle) {
        var types = handle.edge().type().behind();
        return types.isEmpty() ? DType.F32 : types.get(0).dtype();
    }

    /** The shape of a value, or of what is behind a handle, when it runs; a constant where it is known before. */
    static Value shape(Value v) {
        if (v.dtype() == DType.RESOURCE) return Value.apply(new VariableShape(DType.I32), v);
        return v.shape().isFullyKnown() ? constant(v.ops(), v.shape()) : Value.apply(new Shape(DType.I32), v);
    }

    private static Value constant(Ops ops, dev.oxbow.tensor.Shape s) {
        int[] dims = new int[s.rank()];
        for (int i = 0; i < dims.length; i++) dims[i] = Counts.toInt(s.dim(i));
        return ops.constant(Tensor.of(dev.oxbow.tensor.Shape.of(dims.length), dims));
    }
}
