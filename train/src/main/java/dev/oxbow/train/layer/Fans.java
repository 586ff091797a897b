package dev.oxbow.train.layer;

import dev.oxbow.tensor.Shape;

/** How many values of the input a value of the output depends on, and the reverse, for kernels of shape [..., in, out]. */
final class Fans {
    private Fans() {}

    static double in(Shape kernel) {
        return kernel.rank() < 2 ? Math.max(1, kernel.size()) : (double) kernel.size(0, kernel.rank() - 1);
    }

    static double out(Shape kernel) {
        if (kernel.rank() < 2) return Math.max(1, kernel.size());
        return (double) kernel.size(0, kernel.rank() - 2) * kernel.dim(kernel.rank() - 1);
    }
}
