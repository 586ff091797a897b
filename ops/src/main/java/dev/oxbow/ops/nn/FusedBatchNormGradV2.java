package dev.oxbow.ops.nn;

import dev.oxbow.graph.Signature;

/** Gradient of {@code FusedBatchNormV2} to its input, scale and offset. */
@Signature(
        "FusedBatchNormGradV2(y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U) -> (x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U) {T: type in [HALF BFLOAT16 FLOAT]; U: type in [FLOAT]; epsilon: float = 1.0E-4; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; is_training: bool = true}")
public record FusedBatchNormGradV2(float epsilon, String dataFormat, boolean isTraining)
        implements BatchNorms.Gradient {}
