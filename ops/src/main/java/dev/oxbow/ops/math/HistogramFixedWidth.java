package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How many values fall into each of {@code nbins} equal bins; values outside of the range count at its ends. */
@Signature(
        "HistogramFixedWidth(values: T, value_range: T, nbins: int32) -> (out: dtype) {T: type in [INT32 INT64 FLOAT DOUBLE]; dtype: type in [INT32 INT64] = INT32}")
public record HistogramFixedWidth(DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("value_range", c.shape(1), 1);
        Arguments.scalar("nbins", c.shape(2));
        long[] bins = c.longs(2);
        require(
                bins == null || bins[0] > 0,
                INVALID_ARGUMENT,
                "nbins should be a positive number, but got %s",
                bins == null ? "?" : bins[0]);
        return List.of(new TensorType(dtype, Shape.of(bins == null ? -1 : bins[0])));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            require(
                    c.input(1).size() == 2,
                    INVALID_ARGUMENT,
                    "value_range should be a vector of 2 elements, got %s",
                    c.input(1).describe());
            double low = c.input(1).getDouble(0), high = c.input(1).getDouble(1);
            require(
                    low < high,
                    INVALID_ARGUMENT,
                    "value_range should satisfy value_range[0] < value_range[1], but got [%s, %s]",
                    low,
                    high);
            long bins = y.size();
            double step = (high - low) / bins;
            Memory.zero(y.address(), y.byteSize());
            for (long i = 0; i < x.size(); i++) {
                double v = x.getDouble(i);
                if (v != v) continue;
                long bin = (long) Math.min((Math.max(v, low) - low) / step, bins - 1);
                y.setLong(bin, y.getLong(bin) + 1);
            }
        };
    }
}
