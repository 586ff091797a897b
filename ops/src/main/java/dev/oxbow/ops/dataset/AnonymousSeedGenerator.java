package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Seeds for each walk over a shuffled data set, and what frees them. */
@Signature("AnonymousSeedGenerator(seed: int64, seed2: int64, reshuffle: bool) -> (handle: resource, deleter: variant)"
        + " stateful")
public record AnonymousSeedGenerator() implements NotDifferentiable, Opening {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE), TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> Anonymous.give(
                c,
                Seeds.of(
                        DatasetOp.number(c, 0, "seed"),
                        DatasetOp.number(c, 1, "seed2"),
                        DatasetOp.flag(c, 2, "reshuffle")));
    }
}
