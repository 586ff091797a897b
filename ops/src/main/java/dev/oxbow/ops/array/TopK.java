package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.List;

/** The k greatest elements of each row and their positions, k an attribute. */
@Signature("TopK(input: T) -> (values: T, indices: int32) {k: int >= 0; sorted: bool = true; T: type in [REAL]}")
public record TopK(int k, boolean sorted) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return TopElements.infer(c, k, DType.I32);
    }

    @Override
    public Kernel cpu() {
        return c -> TopElements.run(c, sorted);
    }

    /** dy at the indices. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(TopElements.gradient(g));
    }
}
