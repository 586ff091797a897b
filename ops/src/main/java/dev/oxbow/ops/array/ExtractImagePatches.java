package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Windows over height and width, flattened into the channels. */
@Signature(
        "ExtractImagePatches(images: T) -> (patches: T) {ksizes: list(int) >= 4; strides: list(int) >= 4; rates: list(int) >= 4; T: type in [REAL COMPLEX BOOL]; padding: string in [\"SAME\" \"VALID\"]}")
public record ExtractImagePatches(List<Integer> ksizes, List<Integer> strides, List<Integer> rates, String padding)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Patches.infer(c.shape(0), 4, ksizes, strides, rates, padding)));
    }

    @Override
    public Kernel cpu() {
        return c -> Patches.run(c, ksizes, strides, rates, padding);
    }

    /** Each element of dy added where it came from. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Patches.gradient(g, this));
    }
}
