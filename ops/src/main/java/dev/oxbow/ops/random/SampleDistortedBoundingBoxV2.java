package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import java.util.List;

/** A random crop that covers enough of a box; how much is an input. */
@Signature(
        "SampleDistortedBoundingBoxV2(image_size: T, bounding_boxes: float, min_object_covered: float) -> (begin: T, size: T, bboxes: float) {T: type in [UINT8 INT8 INT16 INT32 INT64]; seed: int = 0; seed2: int = 0; aspect_ratio_range: list(float) = [0.75, 1.33]; area_range: list(float) = [0.05, 1.0]; max_attempts: int = 100; use_image_if_no_bounding_boxes: bool = false} stateful")
public record SampleDistortedBoundingBoxV2(
        long seed,
        long seed2,
        List<Float> aspectRatioRange,
        List<Float> areaRange,
        long maxAttempts,
        boolean useImageIfNoBoundingBoxes)
        implements NotDifferentiable, Drawing {

    private DistortedBox box() {
        return new DistortedBox(aspectRatioRange, areaRange, maxAttempts, useImageIfNoBoundingBoxes);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return box().infer(c, true);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            float cover = (float) c.input(2).getDouble(0);
            box().run(c, Randoms.state(c, seed, seed2).reserve(maxAttempts), cover);
        };
    }
}
