package dev.oxbow.ops.nn;

import dev.oxbow.graph.Signature;

/** Gradient of {@code FusedBatchNorm} to its input, scale and offset. */
@Signature(
        "FusedBatchNormGrad(y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T) -> (x_backprop: T, scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T) {T: type in [FLOAT]; epsilon: float = 1.0E-4; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; is_training: bool = true}")
public record FusedBatchNormGrad(float epsilon, String dataFormat, boolean isTraining) implements BatchNorms.Gradient {}
