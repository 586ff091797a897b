package dev.oxbow.ops.nn;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Batch normalisation per channel: {@code y = (x - mean) / sqrt(variance + epsilon) * scale + offset}. */
@Signature(
        "FusedBatchNormV3(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U) {T: type in [HALF BFLOAT16 FLOAT]; U: type in [BFLOAT16 FLOAT]; epsilon: float = 1.0E-4; exponential_avg_factor: float = 1.0; data_format: string in [\"NHWC\" \"NCHW\" \"NDHWC\" \"NCDHW\"] = \"NHWC\"; is_training: bool = true}")
public record FusedBatchNormV3(float epsilon, float exponentialAvgFactor, String dataFormat, boolean isTraining)
        implements BatchNorms.Forward {

    /** {@code dx}, {@code dscale} and {@code doffset} from the saved statistics. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return BatchNorms.gradients(
                Value.applyAll(new FusedBatchNormGradV3(epsilon, dataFormat, isTraining), norm().gradientInputs(g)));
    }
}
