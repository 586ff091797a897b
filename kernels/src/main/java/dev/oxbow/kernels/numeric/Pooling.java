package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.function.LongConsumer;

/** What pools share: walking the part of a window that is inside. */
final class Pooling {
    private Pooling() {}

    /**
     * Calls {@code task} with each input position (counted over the batch) in the window at output position p, in
     * order.
     */
    static void taps(Window w, long p, LongConsumer task) {
        long o = p % w.positions(), image = p / w.positions() * w.inPositions();
        long x0 = w.start(2, o % w.out[2]),
                y0 = w.start(1, o / w.out[2] % w.out[1]),
                z0 = w.start(0, o / w.out[2] / w.out[1]);
        for (long kz = w.firstTap(0, z0); kz < w.lastTap(0, z0); kz++) {
            for (long ky = w.firstTap(1, y0); ky < w.lastTap(1, y0); ky++) {
                long line = image + ((z0 + kz * w.dilation[0]) * w.in[1] + y0 + ky * w.dilation[1]) * w.in[2] + x0;
                for (long kx = w.firstTap(2, x0); kx < w.lastTap(2, x0); kx++) task.accept(line + kx * w.dilation[2]);
            }
        }
    }

    /** How many taps are inside at output position p. */
    static long count(Window w, long p) {
        long o = p % w.positions();
        long x0 = w.start(2, o % w.out[2]),
                y0 = w.start(1, o / w.out[2] % w.out[1]),
                z0 = w.start(0, o / w.out[2] / w.out[1]);
        return (w.lastTap(0, z0) - w.firstTap(0, z0))
                * (w.lastTap(1, y0) - w.firstTap(1, y0))
                * (w.lastTap(2, x0) - w.firstTap(2, x0));
    }

    static void checkPosition(long i, long o, long size) {
        require(i >= 0 && i < size, INVALID_ARGUMENT, "MaxPool: argmax[%d] = %d is not in [0, %d)", o, i, size);
    }
}
