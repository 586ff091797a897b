package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;

/** Elements counted by value or by interval. */
public final class Counting {
    private Counting() {}

    /**
     * {@code bins[v]} += 1, or the weight of the element, for each value v of {@code x} below the number of bins. A matrix
     * is counted row by row into rows of {@code bins}; {@code weights} may be empty; {@code binary} says only whether v occurs.
     */
    public static void bins(Tensor x, Tensor weights, boolean binary, Tensor bins) {
        Memory.zero(bins.address(), bins.byteSize());
        long size = bins.shape().dim(-1),
                rowLength = bins.shape().rank() == 2 ? x.shape().dim(1) : Math.max(1, x.size());
        boolean weighted = weights != null && weights.size() > 0,
                floating = bins.dtype().isFloating();
        for (long i = 0; i < x.size(); i++) {
            long v = x.getLong(i);
            require(v >= 0, INVALID_ARGUMENT, "Bincount: Input arr must be non-negative!, got %d at %d", v, i);
            if (v >= size) continue;
            long at = i / rowLength * size + v;
            if (binary) bins.set(at, 1);
            else if (floating) bins.set(at, bins.getDouble(at) + (weighted ? weights.getDouble(i) : 1));
            else bins.setLong(at, bins.getLong(at) + (weighted ? weights.getLong(i) : 1));
        }
    }

    /**
     * Counts of {@code x} in as many equal intervals of [low, high] as {@code y} has; values outside go to the ends.
     */
    public static void histogram(Tensor x, double low, double high, Tensor y) {
        require(
                low < high,
                INVALID_ARGUMENT,
                "HistogramFixedWidth: value_range should satisfy value_range[0] < value_range[1], but got '[%s, %s]'",
                low,
                high);
        Memory.zero(y.address(), y.byteSize());
        long n = y.size();
        double step = (high - low) / n;
        for (long i = 0; i < x.size(); i++) {
            long at = Math.min(n - 1, (long) ((Math.max(x.getDouble(i), low) - low) / step));
            y.setLong(at, y.getLong(at) + 1);
        }
    }
}
