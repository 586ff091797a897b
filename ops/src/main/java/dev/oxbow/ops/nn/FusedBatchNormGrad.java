package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Gradient of {@code FusedBatchNorm} to its input, scale and offset. */
@Signature(
        "FusedBatchNormGrad(y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T) -> (x_backprop: T, scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T) {T: type in [FLOAT]; epsilon: float = 1.0E-4; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; is_training: bool = true}")
public record FusedBatchNormGrad(float epsilon, String dataFormat, boolean isTraining) implements Differentiable {

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
