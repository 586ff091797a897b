package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Memory;

/** Images as matrices of patches: a row per window position, a column per (tap, channel); channels last. */
final class Patches {
    private final Window w;
    private final int width;
    private final long groupChannels;
    private final boolean contiguous;

    /** Patches of {@code groupChannels} channels of images of elements {@code width} bytes wide. */
    Patches(Window w, int width, long groupChannels) {
        this.w = w;
        this.width = width;
        this.groupChannels = groupChannels;
        this.contiguous = groupChannels == w.channels && w.dilation[2] == 1;
    }

    /** The columns of a row. */
    long length() {
        return w.taps() * groupChannels;
    }

    /** Copies the patches at positions [from, to) of {@code image} into rows at {@code rows}; taps outside are zero. */
    void gather(long image, long channel, long from, long to, long rows) {
        walk(image, channel, from, to, rows, true);
    }

    /** Adds rows back to where they came from: the transpose of {@link #gather}. */
    void scatter(long image, long channel, long from, long to, long rows) {
        walk(image, channel, from, to, rows, false);
    }

    private void walk(long image, long channel, long from, long to, long rows, boolean gather) {
        long row = groupChannels * w.kernel[2] * width;
        for (long position = from; position < to; position++) {
            long x = position % w.out[2], y = position / w.out[2] % w.out[1], z = position / w.out[2] / w.out[1];
            long x0 = w.start(2, x), y0 = w.start(1, y), z0 = w.start(0, z);
            long at = rows + (position - from) * length() * width;
            for (long kz = 0; kz < w.kernel[0]; kz++) {
                long iz = z0 + kz * w.dilation[0];
                for (long ky = 0; ky < w.kernel[1]; ky++, at += row) {
                    long iy = y0 + ky * w.dilation[1];
                    boolean inside = iz >= 0 && iz < w.in[0] && iy >= 0 && iy < w.in[1];
                    long line = image + ((iz * w.in[1] + iy) * w.in[2] * w.channels + channel) * width;
                    if (!inside) {
                        if (gather) Memory.zero(at, row);
                    } else {
                        line(line, x0, at, gather);
                    }
                }
            }
        }
    }

    /** The taps of one kernel row. */
    private void line(long line, long x0, long at, boolean gather) {
        long first = Math.min(w.kernel[2], w.firstTap(2, x0)),
                last = Math.max(first, w.lastTap(2, x0)),
                tap = groupChannels * width;
        if (gather) {
            Memory.zero(at, first * tap);
            Memory.zero(at + last * tap, (w.kernel[2] - last) * tap);
        }
        if (contiguous) {
            move(line + (x0 + first) * tap, at + first * tap, (last - first) * groupChannels, gather);
            return;
        }
        for (long kx = first; kx < last; kx++) {
            move(line + (x0 + kx * w.dilation[2]) * w.channels * width, at + kx * tap, groupChannels, gather);
        }
    }

    private void move(long image, long row, long n, boolean gather) {
        if (gather) Memory.copy(image, row, n * width);
        else if (width == 4)
            for (long i = 0; i < n; i++)
                Memory.putFloat(image + 4 * i, Memory.getFloat(image + 4 * i) + Memory.getFloat(row + 4 * i));
        else
            for (long i = 0; i < n; i++)
                Memory.putDouble(image + 8 * i, Memory.getDouble(image + 8 * i) + Memory.getDouble(row + 8 * i));
    }
}
