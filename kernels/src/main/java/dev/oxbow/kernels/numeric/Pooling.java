package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Memory;
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

    /** Work on windows that stand side by side and have the same taps inside. */
    interface Windows {
        /**
         * {@code count} windows from output position {@code p}, counted over the batch, on; the first one starts {@code start}
         * elements into the input, and its taps are {@code taps[0..n)} elements further on. {@code numbers} are the
         * taps' places in the whole kernel.
         */
        void run(long p, long count, long start, long[] taps, int[] numbers, int n);
    }

    /** Lines of output positions that make a task. */
    private static long grain(Window w) {
        return Math.max(1, (1 << 14) / Math.max(1, w.out[2] * w.channels * w.taps()));
    }

    /** Runs {@code task} on all windows, on the tasks' threads in any order. */
    static void each(Window w, Parallel parallel, Windows task) {
        parallel.run(w.batch * w.out[0] * w.out[1], grain(w), (from, to) -> windows(w, from, to, task));
    }

    /** Whether every element of the input is in one window. */
    static boolean isTiled(Window w) {
        for (int d = 0; d < 3; d++)
            if (w.kernel[d] != w.stride[d]
                    || w.kernel[d] > 1 && w.dilation[d] != 1
                    || w.before[d] != 0
                    || w.out[d] * w.stride[d] != w.in[d]) return false;
        return true;
    }

    /**
     * Clears {@code dx}, laid out as the input with elements of {@code width} bytes, and runs {@code task} on all windows;
     * those that share an element come one after the other, in order.
     */
    static void scatter(Window w, int width, long dx, Parallel parallel, Windows task) {
        long image = w.inPositions() * w.channels * width, lines = w.out[0] * w.out[1];
        if (lines * w.out[2] == 0) {
            Memory.zero(dx, w.batch * image);
            return;
        }
        boolean overlap = false;
        for (int d = 0; d < 2; d++) overlap |= w.out[d] > 1 && (w.kernel[d] - 1) * w.dilation[d] >= w.stride[d];
        if (overlap || w.batch >= 16) {
            parallel.run(w.batch, Math.max(1, grain(w) / lines), (from, to) -> {
                Memory.zero(dx + from * image, (to - from) * image);
                windows(w, from * lines, to * lines, task);
            });
        } else {
            Memory.zero(dx, w.batch * image);
            parallel.run(w.batch * lines, grain(w), (from, to) -> windows(w, from, to, task));
        }
    }

    /** Cuts the lines {@code [from, to)} into windows with equal taps, in order. */
    static void windows(Window w, long from, long to, Windows task) {
        long[] taps = Counts.array(w.mostTaps(), long[]::new);
        int[] numbers = new int[taps.length];
        long c = w.channels, width = w.out[2];
        for (long line = from; line < to; line++) {
            long z0 = w.start(0, line / w.out[1] % w.out[0]), y0 = w.start(1, line % w.out[1]);
            long image = line / w.out[1] / w.out[0] * w.inPositions(), row = image + (z0 * w.in[1] + y0) * w.in[2];
            for (long x = 0, end; x < width; x = end) {
                long x0 = w.start(2, x), first = w.firstTap(2, x0), last = w.lastTap(2, x0);
                end = x + 1;
                while (end < width && w.firstTap(2, w.start(2, end)) == first && w.lastTap(2, w.start(2, end)) == last)
                    end++;
                int n = 0;
                for (long kz = w.firstTap(0, z0); kz < w.lastTap(0, z0); kz++)
                    for (long ky = w.firstTap(1, y0); ky < w.lastTap(1, y0); ky++)
                        for (long kx = first; kx < last; kx++) {
                            long y = kz * w.dilation[0] * w.in[1] + ky * w.dilation[1];
                            taps[n] = (y * w.in[2] + kx * w.dilation[2]) * c;
                            numbers[n++] = (int) ((kz * w.kernel[1] + ky) * w.kernel[2] + kx);
                        }
                task.run(line * width + x, end - x, (row + x0) * c, taps, numbers, n);
            }
        }
    }

    static void checkPosition(long i, long o, long size) {
        require(i >= 0 && i < size, INVALID_ARGUMENT, "MaxPool: argmax[%d] = %d is not in [0, %d)", o, i, size);
    }
}
