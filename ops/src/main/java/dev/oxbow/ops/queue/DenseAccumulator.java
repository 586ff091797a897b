package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Sums up dense gradients. */
final class DenseAccumulator extends Accumulator {
    private Tensor sum;

    DenseAccumulator(String name, DType dtype, Shape shape, String reduction) {
        super(name, dtype, shape, reduction);
    }

    void apply(KernelContext c, long localStep, Tensor gradient) {
        require(
                gradient.dtype() == dtype,
                INVALID_ARGUMENT,
                "the accumulator is of %s, the gradient is %s",
                dtype,
                gradient.dtype());
        apply(localStep, () -> {
            Shape wanted = sum == null || count == 0 ? shape : sum.shape();
            require(
                    wanted.isCompatibleWith(gradient.shape()),
                    INVALID_ARGUMENT,
                    "Shape mismatch: expected %s, got %s",
                    wanted,
                    gradient.shape());
            if (sum == null) {
                sum = c.temporary(dtype, gradient.shape());
                Tuples.copy(gradient, 0, sum, 0, gradient.size());
            } else {
                add(c, sum, gradient);
            }
        });
    }

    @Override
    void give(KernelContext c) {
        if (mean) divide(c, sum, count);
        c.set(0, sum);
        sum = null;
    }

    @Override
    void free() {
        if (sum != null) sum.release();
        sum = null;
    }
}
