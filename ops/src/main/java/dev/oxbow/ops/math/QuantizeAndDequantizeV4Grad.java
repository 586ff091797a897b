package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Gradient of {@code QuantizeAndDequantizeV4}: dy between the limits; the limits themselves get none. */
@Signature(
        "QuantizeAndDequantizeV4Grad(gradients: T, input: T, input_min: T, input_max: T) -> (input_backprop: T, input_min_backprop: T, input_max_backprop: T) {T: type in [FLOATING]; axis: int = -1}")
public record QuantizeAndDequantizeV4Grad(int axis) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Quantizing.limits(c, axis, 1, 2);
        Shape s = Arguments.merge(c.shape(0), c.shape(1));
        return List.of(c.input(0).withShape(s), c.input(2), c.input(3));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor dy = c.input(0), x = c.input(1), min = c.input(2), max = c.input(3), y = c.output(0);
            long inner = axis < 0 ? 1 : x.shape().size(axis + 1, x.shape().rank());
            long channels = axis < 0 ? 1 : x.shape().dim(axis);
            for (long i = 0; i < x.size(); i++) {
                long k = i / inner % channels;
                double v = x.getDouble(i);
                boolean inside = v >= min.getDouble(k) && v <= max.getDouble(k);
                y.set(i, inside ? dy.getDouble(i) : 0);
            }
            for (int o = 1; o < 3; o++)
                Memory.zero(c.output(o).address(), c.output(o).byteSize());
        };
    }

    /** {@code d dy = d dx} between the limits. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = Value.applyAll(this, g.gradient(0), g.input(1), g.input(2), g.input(3))
                .get(0);
        return Arrays.asList(dy, null, null, null);
    }
}
