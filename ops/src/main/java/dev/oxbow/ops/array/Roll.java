package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The elements moved along axes; what leaves at one end comes in at the other. */
@Signature(
        "Roll(input: T, shift: Tshift, axis: Taxis) -> (output: T) {T: type; Tshift: type in [INT32 INT64]; Taxis: type in [INT32 INT64]}")
public record Roll() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                !c.shape(0).isRankKnown() || c.shape(0).rank() > 0,
                INVALID_ARGUMENT,
                "input must be 1-D or higher, got shape %s",
                c.shape(0));
        for (int i = 1; i < 3; i++)
            require(
                    c.shape(i).rank() <= 1,
                    INVALID_ARGUMENT,
                    "%s must be a scalar or a 1-D vector. Found: %s",
                    i == 1 ? "shift" : "axis",
                    c.shape(i));
        require(
                c.shape(1).isCompatibleWith(c.shape(2)),
                INVALID_ARGUMENT,
                "shift and axis must have the same size: %s vs. %s",
                c.shape(1),
                c.shape(2));
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            long[] shift = new long[x.shape().rank()];
            for (int i = 0; i < c.input(1).size(); i++) {
                long axis = c.input(2).getLong(i);
                require(
                        axis >= -shift.length && axis < shift.length,
                        INVALID_ARGUMENT,
                        "axis %d is out of range of %s",
                        axis,
                        x.shape());
                int d = Arguments.axis(axis, shift.length);
                long n = Math.max(1, x.shape().dim(d));
                shift[d] = Math.floorMod(shift[d] + Math.floorMod(c.input(1).getLong(i), n), n);
            }
            if (x.size() > 0) dev.oxbow.kernels.move.Reverse.roll(x, shift, c.output(0), c.parallel());
        };
    }

    /** dy moved back. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(this, g.gradient(0), g.input(1).negated(), g.input(2)), null, null);
    }
}
