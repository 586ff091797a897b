package dev.oxbow.ops.nn;

import dev.oxbow.graph.Signature;

/** Gradient of {@code FusedBatchNormV3} to its input, scale and offset. */
@Signature(
        "FusedBatchNormGradV3(y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U) -> (x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U) {T: type in [HALF BFLOAT16 FLOAT]; U: type in [FLOAT]; epsilon: float = 1.0E-4; data_format: string in [\"NHWC\" \"NCHW\" \"NDHWC\" \"NCDHW\"] = \"NHWC\"; is_training: bool = true}")
public record FusedBatchNormGradV3(float epsilon, String dataFormat, boolean isTraining)
        implements BatchNorms.Gradient {}
