package dev.oxbow.ops.nn;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Batch normalisation per channel: {@code y = (x - mean) / sqrt(variance + epsilon) * scale + offset}. */
@Signature(
        "FusedBatchNorm(x: T, scale: T, offset: T, mean: T, variance: T) -> (y: T, batch_mean: T, batch_variance: T, reserve_space_1: T, reserve_space_2: T) {T: type in [FLOAT]; epsilon: float = 1.0E-4; exponential_avg_factor: float = 1.0; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; is_training: bool = true}")
public record FusedBatchNorm(float epsilon, float exponentialAvgFactor, String dataFormat, boolean isTraining)
        implements BatchNorms.Forward {

    /** {@code dx}, {@code dscale} and {@code doffset} from the saved statistics. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return BatchNorms.gradients(
                Value.applyAll(new FusedBatchNormGrad(epsilon, dataFormat, isTraining), norm().gradientInputs(g)));
    }
}
