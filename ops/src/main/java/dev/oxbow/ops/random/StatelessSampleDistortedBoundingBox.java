package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** A random crop that covers enough of a box, the same one for the same seed. */
@Signature(
        "StatelessSampleDistortedBoundingBox(image_size: T, bounding_boxes: float, min_object_covered: float, seed: Tseed) -> (begin: T, size: T, bboxes: float) {T: type in [UINT8 INT8 INT16 INT32 INT64]; Tseed: type in [INT32 INT64]; aspect_ratio_range: list(float) = [0.75, 1.33]; area_range: list(float) = [0.05, 1.0]; max_attempts: int = 100; use_image_if_no_bounding_boxes: bool = false}")
public record StatelessSampleDistortedBoundingBox(
        List<Float> aspectRatioRange, List<Float> areaRange, long maxAttempts, boolean useImageIfNoBoundingBoxes)
        implements NotDifferentiable {

    private DistortedBox box() {
        return new DistortedBox(aspectRatioRange, areaRange, maxAttempts, useImageIfNoBoundingBoxes);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkSeed(c, 3);
        return box().infer(c, true);
    }

    @Override
    public Kernel cpu() {
        return c -> box().run(c, Randoms.stateless(c, 3), (float) c.input(2).getDouble(0));
    }
}
