package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/**
 * What a branch gives in the place of a value that only the other one computes, and that nobody reads then: zeros, and
 * none where the shape is not known.
 */
@Signature("FakeParam() -> (output: dtype) {dtype: type; shape: shape}")
public record FakeParam(DType dtype, Shape shape) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(dtype, shape));
    }

    @Override
    public Kernel cpu() {
        return c -> Fills.zero(c.isAllocated(0) ? c.output(0) : c.allocate(0, known()));
    }

    private Shape known() {
        if (!shape.isRankKnown()) return Shape.SCALAR;
        long[] dims = new long[shape.rank()];
        for (int i = 0; i < dims.length; i++) dims[i] = Math.max(0, shape.dim(i));
        return Shape.of(dims);
    }
}
