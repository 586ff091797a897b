package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The input turned around along the dimensions whose flag is set. */
@Signature("Reverse(tensor: T, dims: bool) -> (output: T) {T: type in [REAL COMPLEX BOOL STRING]}")
public record Reverse() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("dims", c.shape(1), 1);
        Shape x = c.shape(0);
        require(
                x.rank() < 0 || c.shape(1).dim(0) < 0 || c.shape(1).dim(0) == x.rank(),
                INVALID_ARGUMENT,
                "'dims' must have one entry for each dimension of %s, got %s",
                x,
                c.shape(1));
        require(x.rank() <= 8, UNIMPLEMENTED, "Reverse is not implemented for tensors of rank > 8, got %s", x);
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            boolean[] reversed = new boolean[c.input(0).shape().rank()];
            for (int d = 0; d < reversed.length; d++) reversed[d] = c.input(1).getLong(d) != 0;
            dev.oxbow.kernels.move.Reverse.run(c.input(0), reversed, c.output(0), c.parallel());
        };
    }

    /** dy turned around likewise. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(this, g.gradient(0), g.input(1)), null);
    }
}
