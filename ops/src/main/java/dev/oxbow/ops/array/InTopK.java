package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Whether the target of each row is among its k greatest predictions, k an attribute. */
@Signature("InTopK(predictions: float, targets: T) -> (precision: bool) {k: int; T: type in [INT32 INT64] = INT32}")
public record InTopK(int k) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return TopHits.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> TopHits.run(c, k);
    }
}
