package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The dimensions of a variable as a 1-D tensor. */
@Signature("VariableShape(input: resource) -> (output: out_type) {out_type: type in [INT32 INT64] = INT32} stateful")
public record VariableShape(DType outType) implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        TensorType h = c.input(0);
        int rank = h.behind().isEmpty() ? -1 : h.behind().get(0).shape().rank();
        return List.of(new TensorType(outType, Shape.of(rank)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor v = Variables.read(c, 0, NOT_FOUND);
            Shape s = v.shape();
            v.release();
            Tensor y = c.allocate(0, Shape.of(s.rank()));
            for (int i = 0; i < s.rank(); i++) y.setLong(i, s.dim(i));
        };
    }
}
