package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Images seen through projections. */
@Signature("ImageProjectiveTransformV2(images: dtype, transforms: float, output_shape: int32) -> (transformed_images:"
        + " dtype) {dtype: type in [UINT8 INT32 INT64 HALF BFLOAT16 FLOAT DOUBLE]; interpolation: string;"
        + " fill_mode: string = \"CONSTANT\"}")
public record ImageProjectiveTransformV2(String interpolation, String fillMode) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Projections.infer(c, interpolation, fillMode);
    }

    @Override
    public Kernel cpu() {
        return c -> Projections.run(c, interpolation, fillMode, 0);
    }

    /** The gradient seen through the inverse projections, as TensorFlow has it. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value size = g.input(0).runtimeShape().slice(0, 1, 2);
        return Arrays.asList(Value.apply(this, g.gradient(0), Projections.inverse(g.input(1)), size), null, null);
    }
}
