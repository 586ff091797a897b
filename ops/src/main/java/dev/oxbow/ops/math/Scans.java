package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.Scan;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What the ops that run along an axis share. */
final class Scans {
    private Scans() {}

    static List<TensorType> infer(InferenceContext c) {
        require(c.shape(1).rank() <= 0, INVALID_ARGUMENT, "ScanOp: axis must be a scalar, not %s", c.shape(1));
        long[] axis = c.longs(1);
        int rank = c.shape(0).rank();
        require(
                axis == null || rank < 0 || axis[0] >= -rank && axis[0] < rank,
                INVALID_ARGUMENT,
                "ScanOp: Expected scan axis in the range [%d, %d), but got %s",
                -rank,
                rank,
                axis == null ? "?" : axis[0]);
        return List.of(c.input(0));
    }

    static Kernel kernel(Scan.Operation operation, boolean exclusive, boolean reverse) {
        return c -> {
            Tensor x = c.input(0);
            int axis = Counts.toInt(c.input(1).getLong(0));
            Scan.of(operation, x.dtype()).run(c.parallel(), x, axis, exclusive, reverse, c.output(0));
        };
    }
}
