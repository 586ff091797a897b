package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import java.util.List;

/** New seeds for each walk over a shuffled data set, and what frees them. */
@Signature("AnonymousRandomSeedGenerator(seed: int64, seed2: int64) -> (handle: resource, deleter: variant) stateful")
public record AnonymousRandomSeedGenerator() implements NotDifferentiable, Opening {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE), TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> Anonymous.give(c, Seeds.of(DatasetOp.number(c, 0, "seed"), DatasetOp.number(c, 1, "seed2"), true));
    }
}
