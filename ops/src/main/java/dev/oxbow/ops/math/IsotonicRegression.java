package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.OnesLike;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.Range;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The nearest descending sequence to each row, and which of its elements are equal: neighbours that ascend become their mean. */
@Signature(
        "IsotonicRegression(input: T) -> (output: output_dtype, segments: int32) {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64]; output_dtype: type in [HALF BFLOAT16 FLOAT DOUBLE] = FLOAT}")
public record IsotonicRegression(@Attr("output_dtype") DType outputDtype) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                !c.shape(0).isRankKnown() || c.shape(0).rank() > 0,
                INVALID_ARGUMENT,
                "input must be at least 1-dim, got shape %s",
                c.shape(0));
        return List.of(new TensorType(outputDtype, c.shape(0)), new TensorType(DType.I32, c.shape(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0), segments = c.output(1);
            if (x.size() == 0) return;
            int n = Counts.toInt(x.shape().dim(x.shape().rank() - 1));
            c.parallel().run(x.size() / n, Math.max(1, 4096 / n), (from, to) -> {
                int[] starts = new int[n];
                double[] sums = new double[n];
                for (long row = from; row < to; row++) solve(x, y, segments, row * n, n, starts, sums);
            });
        };
    }

    /** Pools adjacent elements that ascend, from the left. */
    private void solve(Tensor x, Tensor y, Tensor segments, long at, int n, int[] starts, double[] sums) {
        int pools = 0;
        for (int i = 0; i < n; i++) {
            starts[pools] = i;
            sums[pools++] = round(x.getDouble(at + i));
            while (pools > 1
                    && mean(sums[pools - 1], i + 1 - starts[pools - 1])
                            > mean(sums[pools - 2], starts[pools - 1] - starts[pools - 2])) {
                sums[pools - 2] = round(sums[pools - 2] + sums[pools - 1]);
                pools--;
            }
        }
        for (int p = 0; p < pools; p++) {
            int end = p + 1 < pools ? starts[p + 1] : n;
            for (int i = starts[p]; i < end; i++) {
                y.set(at + i, mean(sums[p], end - starts[p]));
                segments.setLong(at + i, p);
            }
        }
    }

    private double mean(double sum, int count) {
        return round(sum / count);
    }

    /** Sums are kept in the dtype of the output, as TensorFlow's are. */
    private double round(double x) {
        return switch (outputDtype) {
            case F64 -> x;
            case F16 -> Half.fromF16(Half.toF16((float) x));
            case BF16 -> Half.fromBf16(Half.toBf16((float) x));
            default -> (float) x;
        };
    }

    /** {@code dx} = the mean of dy over the elements that are equal. */
    @Override
    public List<Value> gradient(GradientContext g) {
        if (!g.input(0).dtype().isFloating()) return Arrays.asList((Value) null);
        Value dy = g.gradient(0), shape = dy.runtimeShape();
        Ops ops = dy.ops();
        Value zero = ops.constant(DType.I32, 0), one = ops.constant(DType.I32, 1);
        Value n = shape.gather(dy.runtimeRank().minus(one), 0);
        Value rows = Value.apply(new FloorDiv(), dy.runtimeSize(), n.maximum(one)), size = rows.times(n);
        Value starts = Value.apply(new Range(), zero, rows, one).times(n).reshape(-1, 1);
        Value matrix = g.output(1).reshape(Value.apply(new Pack(0), rows, n));
        Value ids = matrix.plus(starts).reshape(-1);
        Value sums = Value.apply(new UnsortedSegmentSum(), dy.reshape(-1), ids, size);
        Value ones = Value.apply(new OnesLike(), dy).reshape(-1);
        Value counts = Value.apply(new UnsortedSegmentSum(), ones, ids, size).maximum(dy.constantLike(1));
        return List.of(sums.dividedBy(counts).gather(ids, 0).reshape(shape));
    }
}
