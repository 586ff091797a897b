package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Batch normalisation per channel: {@code y = (x - mean) / sqrt(variance + epsilon) * scale + offset}. */
@Signature(
        "FusedBatchNorm(x: T, scale: T, offset: T, mean: T, variance: T) -> (y: T, batch_mean: T, batch_variance: T, reserve_space_1: T, reserve_space_2: T) {T: type in [FLOAT]; epsilon: float = 1.0E-4; exponential_avg_factor: float = 1.0; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; is_training: bool = true}")
public record FusedBatchNorm(float epsilon, float exponentialAvgFactor, String dataFormat, boolean isTraining)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return norm().infer(c);
    }

    private BatchNorms norm() {
        return new BatchNorms(dataFormat, epsilon, isTraining);
    }

    @Override
    public Kernel cpu() {
        return norm().kernel(exponentialAvgFactor);
    }

    /** {@code dx}, {@code dscale} and {@code doffset} from the saved statistics. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return BatchNorms.gradients(
                Value.applyAll(new FusedBatchNormGrad(epsilon, dataFormat, isTraining), norm().gradientInputs(g)));
    }
}
