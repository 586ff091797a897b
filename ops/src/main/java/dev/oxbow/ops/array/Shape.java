package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The dimensions of a value as a 1-D tensor. */
@Signature("Shape(input: T) -> (output: out_type) {T: type; out_type: type in [INT32 INT64] = INT32}")
public record Shape(DType outType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        int rank = c.shape(0).rank();
        return List.of(new TensorType(outType, dev.oxbow.tensor.Shape.of(rank)));
    }

    @Override
    public List<Tensor> constants(InferenceContext c) {
        if (!c.shape(0).isFullyKnown()) return null;
        Tensor t = Tensor.allocate(outType, dev.oxbow.tensor.Shape.of(c.shape(0).rank()));
        for (int i = 0; i < t.size(); i++) t.setLong(i, c.shape(0).dim(i));
        return List.of(t);
    }

    @Override
    public boolean asksTypesOnly() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            for (int i = 0; i < y.size(); i++) y.setLong(i, c.input(0).shape().dim(i));
        };
    }
}
