package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Zeros (or empty strings) in the shape of a value. */
@Signature("ZerosLike(x: T) -> (y: T) {T: type}")
public record ZerosLike() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> Fills.zero(c.output(0));
    }
}
