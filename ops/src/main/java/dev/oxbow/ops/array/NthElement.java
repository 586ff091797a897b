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
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** The n-th smallest element of each row, or greatest when {@code reverse}. */
@Signature("NthElement(input: T, n: int32) -> (values: T) {reverse: bool = false; T: type in [REAL]}")
public record NthElement(boolean reverse) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        Arguments.scalar("n", c.shape(1));
        long[] n = c.longs(1);
        require(x.rank() != 0, INVALID_ARGUMENT, "Input must be >= 1-D, got shape %s", x);
        require(n == null || n[0] >= 0, INVALID_ARGUMENT, "Need n >= 0, got %s", n == null ? "?" : n[0]);
        require(
                n == null || x.rank() < 0 || x.dim(-1) < 0 || n[0] < x.dim(-1),
                INVALID_ARGUMENT,
                "Input must have at least n+1 columns: n is %s, input %s",
                n == null ? "?" : n[0],
                x);
        return List.of(c.input(0).withShape(x.isRankKnown() ? x.slice(0, x.rank() - 1) : x));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            long n = x.shape().dim(-1),
                    at = reverse ? n - 1 - c.input(1).getLong(0) : c.input(1).getLong(0);
            int w = x.dtype().size();
            for (long row = 0; row < y.size(); row++) {
                long start = row * n;
                Long[] order = LongStream.range(0, n).boxed().toArray(Long[]::new);
                Arrays.sort(order, (i, j) -> TopElements.compare(x, start + i, start + j));
                Memory.copy(x.address() + (start + order[(int) at]) * w, y.address() + row * w, w);
            }
        };
    }

    /** {@code dx = dy / k} at the k elements that equal the result. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0).expandDims(-1), dy = g.gradient(0).expandDims(-1);
        Value chosen = g.input(0).equalTo(y).cast(dy.dtype());
        return Arrays.asList(chosen.dividedBy(chosen.sum(true, -1)).times(dy), null);
    }
}
