package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Windows over planes, rows and columns, flattened into the channels. */
@Signature(
        "ExtractVolumePatches(input: T) -> (patches: T) {ksizes: list(int) >= 5; strides: list(int) >= 5; T: type in [REAL]; padding: string in [\"SAME\" \"VALID\"]}")
public record ExtractVolumePatches(List<Integer> ksizes, List<Integer> strides, String padding)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Patches.infer(c.shape(0), 5, ksizes, strides, rates(), padding)));
    }

    private static List<Integer> rates() {
        return List.of(1, 1, 1, 1, 1);
    }

    @Override
    public Kernel cpu() {
        return c -> Patches.run(c, ksizes, strides, rates(), padding);
    }

    /** Each element of dy added where it came from. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Patches.gradient(g, this));
    }
}
