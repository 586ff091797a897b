package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Lrn;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gradient of {@code LRN}, from the gradient, the input and the output. */
@Signature(
        "LRNGrad(input_grads: T, input_image: T, output_image: T) -> (output: T) {depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; T: type in [HALF BFLOAT16 FLOAT] = FLOAT}")
public record LRNGrad(long depthRadius, float bias, float alpha, float beta) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                depthRadius >= 0 && depthRadius <= Integer.MAX_VALUE,
                INVALID_ARGUMENT,
                "depth_radius must be in [0, 2^31), got %d",
                depthRadius);
        c.rank(0, 4);
        Shape s = c.shape(0).merge(c.shape(1));
        s = s == null ? null : s.merge(c.shape(2));
        require(
                s != null,
                INVALID_ARGUMENT,
                "inputs must have one shape, got %s, %s and %s",
                c.shape(0),
                c.shape(1),
                c.shape(2));
        return List.of(c.input(0).withShape(s));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.along(0, outputs, 0, 0, 0) : null;
    }

    @Override
    public Kernel cpu() {
        Lrn lrn = new Lrn(depthRadius, bias, alpha, beta);
        return c -> lrn.gradient(c.input(0), c.input(1), c.input(2), c.output(0), c.parallel());
    }
}
