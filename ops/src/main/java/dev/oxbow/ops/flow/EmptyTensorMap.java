package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import java.util.List;

/** A map without entries. */
@Signature("EmptyTensorMap() -> (handle: variant)")
public record EmptyTensorMap() implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> TensorMap.empty().give(c);
    }
}
