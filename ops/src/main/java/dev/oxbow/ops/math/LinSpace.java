package dev.oxbow.ops.math;

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
import java.util.List;

/** {@code num} numbers from start to stop at equal distances. */
@Signature(
        "LinSpace(start: T, stop: T, num: Tidx) -> (output: T) {T: type in [FLOATING]; Tidx: type in [INT32 INT64] = INT32}")
public record LinSpace() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("start", c.shape(0));
        Arguments.scalar("stop", c.shape(1));
        Arguments.scalar("num", c.shape(2));
        long[] n = c.longs(2);
        require(n == null || n[0] > 0, INVALID_ARGUMENT, "Requires num > 0: %s", n == null ? "?" : n[0]);
        return List.of(new TensorType(c.dtype(0), Shape.of(n == null ? -1 : n[0])));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            double start = c.input(0).getDouble(0), stop = c.input(1).getDouble(0);
            long n = y.size();
            double step = n > 1 ? (stop - start) / (n - 1) : 0;
            for (long i = 0; i < n; i++) y.set(i, i > 0 && i == n - 1 ? stop : start + i * step);
        };
    }
}
