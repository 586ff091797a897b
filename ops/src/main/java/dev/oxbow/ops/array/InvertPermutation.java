package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The permutation that undoes one: {@code y[x[i]] = i}. */
@Signature("InvertPermutation(x: T) -> (y: T) {T: type in [INT32 INT64] = INT32}")
public record InvertPermutation() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("x", c.shape(0), 1);
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            long n = x.size();
            for (long i = 0; i < n; i++) y.setLong(i, -1);
            for (long i = 0; i < n; i++) {
                long d = x.getLong(i);
                require(d >= 0 && d < n, INVALID_ARGUMENT, "%d is not between 0 and %d", d, n);
                require(y.getLong(d) == -1, INVALID_ARGUMENT, "%d is duplicated in the input.", d);
                y.setLong(d, i);
            }
        };
    }
}
