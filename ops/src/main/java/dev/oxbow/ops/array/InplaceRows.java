package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.kernels.move.Scatter;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What the ops share that write rows: {@code y = x} with {@code y[i] op= v}, where indices wrap around. */
final class InplaceRows {
    private InplaceRows() {}

    static List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0), i = c.shape(1), v = c.shape(2);
        Arguments.atLeast("x", x, 1);
        require(i.rank() <= 1, INVALID_ARGUMENT, "i must be a vector or a scalar, got %s", i);
        if (x.isFullyKnown() && i.isFullyKnown() && v.isFullyKnown()) {
            Shape wanted = i.concat(x.slice(1, x.rank()));
            require(v.equals(wanted), INVALID_ARGUMENT, "x and v shape doesn't match: v must be %s, got %s", wanted, v);
            require(x.dim(0) > 0 || v.size() == 0, INVALID_ARGUMENT, "x has no rows to change, got %s", x);
        }
        return List.of(c.input(0));
    }

    static Kernel kernel(Combine how) {
        return c -> {
            Tensor x = c.input(0), i = c.input(1), y = c.output(0);
            Fills.copy(x, y, c.parallel());
            if (c.input(2).size() == 0) return;
            Tensor wrapped = c.temporary(i.dtype(), Shape.of(i.size()));
            for (long k = 0; k < i.size(); k++)
                wrapped.setLong(k, Math.floorMod(i.getLong(k), x.shape().dim(0)));
            Scatter.rows(y, wrapped, c.input(2), how, c.memory(), c.parallel());
            wrapped.release();
        };
    }
}
