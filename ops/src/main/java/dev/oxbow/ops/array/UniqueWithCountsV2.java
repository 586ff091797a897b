package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** {@code UniqueV2}, and how often each occurs. */
@Signature(
        "UniqueWithCountsV2(x: T, axis: Taxis) -> (y: T, idx: out_idx, count: out_idx) {T: type; Taxis: type in [INT32 INT64] = INT64; out_idx: type in [INT32 INT64] = INT32}")
public record UniqueWithCountsV2(DType outIdx) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Uniques.infer(c, outIdx, true);
    }

    @Override
    public Kernel cpu() {
        return c -> Uniques.run(c);
    }
}
