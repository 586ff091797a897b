package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Flat indices as coordinates in an array of given dimensions, one column each. */
@Signature("UnravelIndex(indices: Tidx, dims: Tidx) -> (output: Tidx) {Tidx: type in [INT32 INT64] = INT32}")
public record UnravelIndex() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("dims", c.shape(1), 1);
        require(
                c.shape(0).rank() <= 1,
                INVALID_ARGUMENT,
                "The indices can only be scalar or vector, got %s",
                c.shape(0));
        return List.of(c.input(0).withShape(Shape.of(c.shape(1).dim(0)).concat(c.shape(0))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor indices = c.input(0), y = c.output(0);
            long[] dims = Arguments.longs(c.input(1));
            long n = indices.size(), total = 1;
            for (long d : dims) {
                require(d != 0, INVALID_ARGUMENT, "Input dims cannot contain a dim of zero");
                total *= d;
            }
            for (long i = 0; i < n; i++) {
                long rest = indices.getLong(i);
                require(
                        rest >= 0 && rest < total,
                        INVALID_ARGUMENT,
                        "index %d is out of bound as with dims %s",
                        rest,
                        Arrays.toString(dims));
                for (int d = dims.length - 1; d >= 0; d--) {
                    y.setLong(d * n + i, rest % dims[d]);
                    rest /= dims[d];
                }
            }
        };
    }
}
