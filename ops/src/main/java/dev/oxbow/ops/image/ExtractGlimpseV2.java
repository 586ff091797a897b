package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Windows cut out of images around a point each; what lies outside is noise. */
@Signature(
        "ExtractGlimpseV2(input: float, size: int32, offsets: float) -> (glimpse: float) {centered: bool = true; normalized: bool = true; uniform_noise: bool = true; noise: string = \"uniform\"}")
public record ExtractGlimpseV2(boolean centered, boolean normalized, boolean uniformNoise, String noise)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return glimpses().infer(c);
    }

    private Glimpses glimpses() {
        return new Glimpses(true, centered, normalized, uniformNoise, noise);
    }

    @Override
    public Kernel cpu() {
        return c -> glimpses().run(c.input(0), c.input(2), c.output(0));
    }
}
