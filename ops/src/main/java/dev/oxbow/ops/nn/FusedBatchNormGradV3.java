package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Gradient of {@code FusedBatchNormV3} to its input, scale and offset. */
@Signature(
        "FusedBatchNormGradV3(y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U) -> (x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U) {T: type in [HALF BFLOAT16 FLOAT]; U: type in [FLOAT]; epsilon: float = 1.0E-4; data_format: string in [\"NHWC\" \"NCHW\" \"NDHWC\" \"NCDHW\"] = \"NHWC\"; is_training: bool = true}")
public record FusedBatchNormGradV3(float epsilon, String dataFormat, boolean isTraining) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return norm().inferGradient(c);
    }

    private BatchNorms norm() {
        return new BatchNorms(dataFormat, epsilon, isTraining);
    }

    @Override
    public Kernel cpu() {
        return norm().gradientKernel();
    }

    /** Through {@code dy}, {@code x} and {@code scale}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return norm().secondGradient(g);
    }
}
