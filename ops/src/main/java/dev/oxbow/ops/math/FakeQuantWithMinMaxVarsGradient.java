package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gradients of {@code FakeQuantWithMinMaxVars}. */
@Signature(
        "FakeQuantWithMinMaxVarsGradient(gradients: float, inputs: float, min: float, max: float) -> (backprops_wrt_input: float, backprop_wrt_min: float, backprop_wrt_max: float) {num_bits: int = 8; narrow_range: bool = false}")
public record FakeQuantWithMinMaxVarsGradient(int numBits, boolean narrowRange) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        FakeQuant.check(numBits);
        c.scalar(2);
        c.scalar(3);
        Shape s = Arguments.merge(c.shape(0), c.shape(1));
        TensorType limit = new TensorType(DType.F32, Shape.SCALAR);
        return List.of(c.input(0).withShape(s), limit, limit);
    }

    @Override
    public Kernel cpu() {
        return c -> FakeQuant.gradient(
                c.input(0),
                c.input(1),
                FakeQuant.of(c.input(2), c.input(3), numBits, narrowRange),
                c.output(0),
                c.output(1),
                c.output(2));
    }
}
