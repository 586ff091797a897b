package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The gradient array of an array whose gradients have more dimensions in front. */
@Signature(
        "TensorArrayGradWithShape(handle: resource, flow_in: float, shape_to_prepend: int32) -> (grad_handle: resource, flow_out: float) {source: string} stateful")
public record TensorArrayGradWithShape(String source) implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE), TensorArrays.FLOW);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Shape prefix = Shape.of(Arguments.longs(c.input(2)));
            TensorArrays.gradient(c, DType.RESOURCE, false, source, prefix);
        };
    }
}
