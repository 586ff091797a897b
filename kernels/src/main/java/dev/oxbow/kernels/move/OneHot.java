package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;

/** {@code y[p, d, s] = on if indices[p, s] == d else off}; indices outside [0, depth) give off everywhere. */
public final class OneHot {
    private OneHot() {}

    public static void run(Tensor indices, int axis, Tensor on, Tensor off, Tensor y, Parallel parallel) {
        Broadcast.fill(off, y, parallel);
        long depth = y.shape().dim(axis),
                suffix = y.shape().size(axis + 1, y.shape().rank());
        Mover mover = Mover.between(on, y);
        long list = indices.address();
        int kind = RowGroups.kind(indices.dtype());
        parallel.run(indices.size(), 1 << 13, (from, to) -> {
            for (long i = from; i < to; i++) {
                long d = RowGroups.number(list, kind, i);
                if (d >= 0 && d < depth) mover.move(0, 1, (i / suffix * depth + d) * suffix + i % suffix, 1, 1);
            }
        });
    }
}
