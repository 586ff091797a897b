package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Variants;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Zeros (or empty strings) in the shape of a value. */
@Signature("ZerosLike(x: T) -> (y: T) {T: type}")
public record ZerosLike() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return Pieces.along(axis, outputs, axis);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            if (c.input(0).dtype() == DType.VARIANT) c.set(0, Variants.zeros(c.input(0), c));
            else Fills.zero(c.output(0));
        };
    }
}
