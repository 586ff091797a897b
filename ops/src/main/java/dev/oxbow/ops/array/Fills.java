package dev.oxbow.ops.array;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Broadcast;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Clears tensors that an op then writes parts of. */
final class Fills {
    private Fills() {}

    /** Zeros, or empty strings. */
    static void zero(Tensor y) {
        if (y.dtype().isObject()) Arrays.fill(y.objects(), new byte[0]);
        else Memory.zero(y.address(), y.byteSize());
    }

    /** {@code y} = {@code x}, of one shape. */
    static void copy(Tensor x, Tensor y, Parallel parallel) {
        if (x.dtype().isObject()) Broadcast.run(x, y, parallel);
        else Memory.copy(x.address(), y.address(), x.byteSize());
    }
}
