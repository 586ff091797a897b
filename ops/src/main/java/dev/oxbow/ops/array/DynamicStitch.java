package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Rows merged by index: {@code merged[indices[i][j]] = data[i][j]}. */
@Signature("DynamicStitch(indices: N*int32, data: N*T) -> (merged: T) {N: int >= 1; T: type}")
public record DynamicStitch() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Stitches.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> Stitches.run(c);
    }

    /** {@code ddata[i] = dmerged[indices[i]]}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Stitches.gradient(g);
    }
}
