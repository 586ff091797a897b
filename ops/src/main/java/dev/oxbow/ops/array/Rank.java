package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The number of dimensions. */
@Signature("Rank(input: T) -> (output: int32) {T: type}")
public record Rank() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I32, dev.oxbow.tensor.Shape.SCALAR));
    }

    @Override
    public List<Tensor> constants(InferenceContext c) {
        return c.shape(0).isRankKnown() ? List.of(Tensor.scalar(c.shape(0).rank())) : null;
    }

    @Override
    public boolean asksTypesOnly() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).setLong(0, c.input(0).shape().rank());
    }
}
