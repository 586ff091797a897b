package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The number of elements. */
@Signature("Size(input: T) -> (output: out_type) {T: type; out_type: type in [INT32 INT64] = INT32}")
public record Size(DType outType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(outType, Shape.SCALAR));
    }

    @Override
    public List<Tensor> constants(InferenceContext c) {
        if (!c.shape(0).isFullyKnown()) return null;
        Tensor t = Tensor.allocate(outType, Shape.SCALAR);
        t.setLong(0, c.shape(0).size());
        return List.of(t);
    }

    @Override
    public boolean asksTypesOnly() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).setLong(0, c.input(0).size());
    }
}
