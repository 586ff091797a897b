package dev.oxbow.graph;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * What is known of a value before it exists: dtype, partial shape, whether it is a reference to a variable, and for
 * handles what stands behind them (a variable's value, a queue's components).
 */
public record TensorType(DType dtype, Shape shape, boolean isRef, List<TensorType> behind) {

    public TensorType(DType dtype, Shape shape) {
        this(dtype, shape, false, List.of());
    }

    /** A type of which only the dtype is known. */
    public static TensorType of(DType dtype) {
        return new TensorType(dtype, Shape.UNKNOWN);
    }

    public static TensorType of(Tensor t) {
        return new TensorType(t.dtype(), t.shape());
    }

    /** A scalar handle behind which values of the given types stand. */
    public static TensorType handle(DType dtype, TensorType... behind) {
        return new TensorType(dtype, Shape.SCALAR, false, List.of(behind));
    }

    /** A reference to a variable of this dtype and shape. */
    public static TensorType ref(DType dtype, Shape shape) {
        return new TensorType(dtype, shape, true, List.of());
    }

    /** Whether it stands for something else: a reference, a resource, a variant. */
    public boolean isHandle() {
        return isRef || dtype == DType.RESOURCE || dtype == DType.VARIANT;
    }

    /** Whether memory for the value can be made before its kernel runs: the shape is known and it is no handle. */
    public boolean isAllocatable() {
        return shape.isFullyKnown() && !isHandle();
    }

    /** The bytes of a value whose shape is known. */
    public long byteSize() {
        return MemoryPool.byteSize(dtype, shape);
    }

    /** The type of the value that a reference refers to; the type itself otherwise. */
    public TensorType deref() {
        return isRef ? new TensorType(dtype, shape, false, behind) : this;
    }

    public TensorType withShape(Shape s) {
        return new TensorType(dtype, s, isRef, behind);
    }

    @Override
    public String toString() {
        return (isRef ? "ref " : "") + dtype + shape;
    }
}
