package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Images with contrast around the mean of each channel, between limits; in f32. */
@Signature(
        "AdjustContrast(images: T, contrast_factor: float, min_value: float, max_value: float) -> (output: float) {T: type in [UINT8 INT8 INT16 INT32 INT64 FLOAT DOUBLE]}")
public record AdjustContrast() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rankAtLeast(0, 3);
        for (int i = 1; i < 4; i++) c.scalar(i);
        return List.of(new TensorType(DType.F32, c.shape(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            if (x.size() == 0) return;
            Shape s = x.shape();
            float factor = (float) c.input(1).getDouble(0);
            double low = c.input(2).getDouble(0), high = c.input(3).getDouble(0);
            long channels = s.dim(-1), pixels = s.dim(-2) * s.dim(-3), image = pixels * channels;
            for (long n = 0; n < x.size() / image; n++)
                for (long k = 0; k < channels; k++) {
                    double sum = 0;
                    for (long p = 0; p < pixels; p++) sum += x.getDouble(n * image + p * channels + k);
                    float mean = (float) (sum / pixels);
                    for (long p = 0; p < pixels; p++) {
                        long at = n * image + p * channels + k;
                        float v = ((float) x.getDouble(at) - mean) * factor + mean;
                        y.set(at, Math.min(Math.max(v, low), high));
                    }
                }
        };
    }
}
