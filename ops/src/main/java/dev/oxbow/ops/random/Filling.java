package dev.oxbow.ops.random;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Tensor;

/** An op whose output is filled with random numbers of one distribution. */
public interface Filling extends NotDifferentiable {
    Distribution distribution();

    /** The stream for {@code size} numbers of this run; what it is made of is read on the host. */
    Philox stream(KernelContext c, long size);

    @Override
    default Kernel cpu() {
        Distribution fill = distribution();
        return c -> {
            Tensor y = c.output(0);
            Philox stream = stream(c, y.size());
            if (y.size() > 0) fill.fill(stream, y, c.parallel());
        };
    }
}
