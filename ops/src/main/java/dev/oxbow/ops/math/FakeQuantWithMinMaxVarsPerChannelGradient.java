package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gradients of {@code FakeQuantWithMinMaxVarsPerChannel}. */
@Signature(
        "FakeQuantWithMinMaxVarsPerChannelGradient(gradients: float, inputs: float, min: float, max: float) -> (backprops_wrt_input: float, backprop_wrt_min: float, backprop_wrt_max: float) {num_bits: int = 8; narrow_range: bool = false}")
public record FakeQuantWithMinMaxVarsPerChannelGradient(int numBits, boolean narrowRange) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        FakeQuant.check(numBits);
        Shape s = Arguments.merge(c.shape(0), c.shape(1));
        FakeQuant.channels(s, c.shape(2), c.shape(3));
        return List.of(c.input(0).withShape(s), c.input(2), c.input(3));
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
