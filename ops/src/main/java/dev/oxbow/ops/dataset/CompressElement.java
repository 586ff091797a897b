package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.flow.Optional;
import dev.oxbow.tensor.DType;
import java.util.List;

/** The components of an element as one variant. */
@Signature("CompressElement(components: input_types) -> (compressed: variant) {input_types: list(type) >= 1}")
public record CompressElement() implements NotDifferentiable, Supplying {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> c.set(0, Optional.tensor(DatasetOp.kept(c, 0, c.inputCount())));
    }
}
