package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** For each value, where it would go in a sorted row, after what equals it. */
@Signature(
        "UpperBound(sorted_inputs: T, values: T) -> (output: out_type) {T: type; out_type: type in [INT32 INT64] = INT32}")
public record UpperBound(DType outType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Searches.infer(c, outType);
    }

    @Override
    public Kernel cpu() {
        return c -> Searches.run(c, true);
    }
}
