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
import java.util.List;

/** What both forms of InTopK share. */
final class TopHits {
    private TopHits() {}

    static List<TensorType> infer(InferenceContext c) {
        Arguments.rank("predictions", c.shape(0), 2);
        Arguments.rank("targets", c.shape(1), 1);
        long a = c.shape(0).rank() == 2 ? c.shape(0).dim(0) : -1,
                b = c.shape(1).rank() == 1 ? c.shape(1).dim(0) : -1;
        require(
                a < 0 || b < 0 || a == b,
                INVALID_ARGUMENT,
                "First dimension of predictions %d must match length of targets %d",
                a,
                b);
        return List.of(new TensorType(DType.BOOL, Shape.of(a < 0 ? b : a)));
    }

    static void run(KernelContext c, long k) {
        Tensor predictions = c.input(0), targets = c.input(1), y = c.output(0);
        long n = predictions.shape().dim(1);
        for (long row = 0; row < y.size(); row++)
            y.setLong(row, isHit(predictions, row * n, n, targets.getLong(row), k) ? 1 : 0);
    }

    /** Whether fewer than k predictions are greater than the target's; never when one is not finite. */
    private static boolean isHit(Tensor predictions, long at, long n, long target, long k) {
        if (target < 0 || target >= n) return false;
        double own = predictions.getDouble(at + target);
        if (!Double.isFinite(own)) return false;
        long greater = 0;
        for (long j = 0; j < n; j++) {
            double p = predictions.getDouble(at + j);
            if (!Double.isFinite(p)) return false;
            if (p > own) greater++;
        }
        return greater < k;
    }
}
