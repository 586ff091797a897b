package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** What LowerBound and UpperBound share. */
final class Searches {
    private Searches() {}

    static List<TensorType> infer(InferenceContext c, DType outType) {
        Arguments.rank("sorted_inputs", c.shape(0), 2);
        Arguments.rank("values", c.shape(1), 2);
        long a = c.shape(0).rank() == 2 ? c.shape(0).dim(0) : -1,
                b = c.shape(1).rank() == 2 ? c.shape(1).dim(0) : -1;
        require(
                a < 0 || b < 0 || a == b,
                INVALID_ARGUMENT,
                "Leading dim_size of both tensors must match: %d vs. %d",
                a,
                b);
        return List.of(new TensorType(outType, c.shape(1).isRankKnown() ? c.shape(1) : Shape.ofRank(2)));
    }

    /** The first position whose element is not below the value, or above it when {@code upper}. */
    static void run(KernelContext c, boolean upper) {
        Tensor sorted = c.input(0), values = c.input(1), y = c.output(0);
        long n = sorted.shape().dim(1), m = values.shape().dim(1);
        for (long i = 0; i < values.size(); i++) {
            long base = i / m * n, low = 0, high = n;
            while (low < high) {
                long middle = (low + high) >>> 1;
                int order = compare(sorted, base + middle, values, i);
                if (upper ? order <= 0 : order < 0) low = middle + 1;
                else high = middle;
            }
            y.setLong(i, low);
        }
    }

    private static int compare(Tensor a, long i, Tensor b, long j) {
        if (a.dtype().isFloating()) {
            double x = a.getDouble(i), y = b.getDouble(j);
            return x < y ? -1 : x > y ? 1 : 0;
        }
        if (a.dtype() == DType.STRING)
            return Arrays.compareUnsigned((byte[]) a.objects()[(int) i], (byte[]) b.objects()[(int) j]);
        long x = a.getLong(i), y = b.getLong(j);
        return a.dtype() == DType.U64 ? Long.compareUnsigned(x, y) : Long.compare(x, y);
    }
}
