package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.OUT_OF_RANGE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** What both counters share: the value before it is increased by one, up to a limit. */
final class Counting {
    private Counting() {}

    static TensorType infer(TensorType v) {
        require(v.shape().rank() <= 0, INVALID_ARGUMENT, "input is not a scalar: %s", v.shape());
        return new TensorType(v.dtype(), Shape.SCALAR);
    }

    static void run(KernelContext c, Variable v, long limit) {
        Tensor y = c.allocate(0, Shape.SCALAR);
        v.update(c.memory(), t -> {
            require(t.shape().isScalar(), INVALID_ARGUMENT, "input is not a scalar: %s", t.shape());
            long before = t.getLong(0);
            require(before < limit, OUT_OF_RANGE, "Reached limit of %d", limit);
            y.setLong(0, before);
            t.setLong(0, before + 1);
        });
    }
}
