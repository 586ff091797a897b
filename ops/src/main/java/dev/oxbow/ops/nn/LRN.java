package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Lrn;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Normalisation by the neighbours of a channel: {@code y = x / (bias + alpha * sum of x^2 within the radius) ^ beta}. */
@Signature(
        "LRN(input: T) -> (output: T) {depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; T: type in [HALF BFLOAT16 FLOAT] = FLOAT}")
public record LRN(long depthRadius, float bias, float alpha, float beta) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                depthRadius >= 0 && depthRadius <= Integer.MAX_VALUE,
                INVALID_ARGUMENT,
                "depth_radius must be in [0, 2^31), got %d",
                depthRadius);
        require(
                c.shape(0).rank() == 4 || !c.shape(0).isRankKnown(),
                INVALID_ARGUMENT,
                "in must be 4-dimensional, got %s",
                c.shape(0));
        return List.of(c.input(0));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.along(0, outputs, 0) : null;
    }

    @Override
    public Kernel cpu() {
        Lrn lrn = new Lrn(depthRadius, bias, alpha, beta);
        return c -> lrn.forward(c.input(0), c.output(0), c.parallel());
    }

    /** {@code dx} from {@code dy}, {@code x} and {@code y}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(
                Value.apply(new LRNGrad(depthRadius, bias, alpha, beta), g.gradient(0), g.input(0), g.output(0)));
    }
}
