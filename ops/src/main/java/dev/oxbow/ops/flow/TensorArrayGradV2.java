package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The array that gradients of an array's elements are added up in, one for each source. */
@Signature("TensorArrayGradV2(handle: string, flow_in: float) -> (grad_handle: string) {source: string} stateful")
public record TensorArrayGradV2(String source) implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorArrays.NAMES);
    }

    @Override
    public Kernel cpu() {
        return c -> TensorArrays.gradient(c, DType.STRING, false, source, Shape.SCALAR);
    }
}
