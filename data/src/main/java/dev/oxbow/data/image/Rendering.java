package dev.oxbow.data.image;

import dev.oxbow.kernels.image.Resize;
import dev.oxbow.kernels.image.RowMix;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One image on its way into a tensor. For each output row the rows of the source that it needs are mixed, then columns of that, into
 * planes of channels, which are coloured, normalised and stored. No image in between is ever whole.
 */
final class Rendering {
    private static final float[] ONES = {1, 1, 1}, ZEROS = new float[3];

    private final Augment to;
    private final Pixels from;
    private final float[] matrix;
    private final long address;
    private final int width;
    private final float[] row;
    private final float[] scale = new float[3];
    private final float[] shift = new float[3];
    private int holeX;
    private int holeY;
    private boolean holed;

    /** @param matrix of colours, null for none */
    Rendering(Augment to, Pixels from, float[] matrix, long address) {
        this.to = to;
        this.from = from;
        this.matrix = matrix;
        this.address = address;
        width = to.width();
        row = new float[3 * width];
        for (int c = 0; c < 3; c++) {
            scale[c] = 1 / to.output().deviation().get(c);
            shift[c] = -to.output().mean().get(c) * scale[c];
        }
    }

    /** Leaves out a square, which may lie partly outside. */
    void hole(int x, int y) {
        holed = true;
        holeX = x;
        holeY = y;
    }

    void straight(boolean flipped) {
        Resize.Taps rows = to.filter().taps(from.height(), to.height());
        Resize.Taps columns = to.filter().taps(from.width(), width);
        float[] mixed = new float[3 * from.width()];
        boolean isPlain = matrix == null && !holed; // then pixels are normalised as soon as they are mixed
        for (int y = 0; y < to.height(); y++) {
            down(rows, y, mixed);
            across(mixed, columns, flipped, isPlain ? scale : ONES, isPlain ? shift : ZEROS);
            if (!isPlain) finish(y);
            store(y);
        }
    }

    /** What an output row mixes of the rows of the source, in their width. */
    private void down(Resize.Taps rows, int y, float[] out) {
        int n = out.length, t = rows.start()[y], end = rows.start()[y + 1];
        long a = from.row(rows.positions()[t]), b = from.row(rows.positions()[Math.min(t + 1, end - 1)]);
        float v = rows.weights()[t], w = t + 1 < end ? rows.weights()[t + 1] : 0;
        RowMix.mix(a, v, b, w, out, n);
        for (t += 2; t < end; t++) {
            long c = from.row(rows.positions()[t]);
            float u = rows.weights()[t];
            for (int i = 0; i < n; i++) out[i] += u * sample(c + i);
        }
    }

    /** A row in the width of the result, one plane for each channel. */
    private void across(float[] in, Resize.Taps columns, boolean flipped, float[] by, float[] plus) {
        int w = width, o = flipped ? w - 1 : 0, step = flipped ? -1 : 1;
        int[] positions = columns.positions(), starts = columns.start();
        float[] weights = columns.weights(), out = row;
        float r = by[0], s = by[1], t = by[2], u = plus[0], v = plus[1], z = plus[2];
        if (starts[w] == 2 * w) {
            for (int x = 0; x < w; x++, o += step) {
                int p = 3 * positions[2 * x], q = 3 * positions[2 * x + 1];
                float a = weights[2 * x], b = weights[2 * x + 1];
                out[o] = (a * in[p] + b * in[q]) * r + u;
                out[w + o] = (a * in[p + 1] + b * in[q + 1]) * s + v;
                out[2 * w + o] = (a * in[p + 2] + b * in[q + 2]) * t + z;
            }
            return;
        }
        for (int x = 0; x < w; x++, o += step) {
            float red = 0, green = 0, blue = 0;
            for (int i = starts[x]; i < starts[x + 1]; i++) {
                int at = 3 * positions[i];
                float weight = weights[i];
                red += weight * in[at];
                green += weight * in[at + 1];
                blue += weight * in[at + 2];
            }
            out[o] = red * r + u;
            out[w + o] = green * s + v;
            out[2 * w + o] = blue * t + z;
        }
    }

    /** As {@link #straight}, turned around the middle; bilinear whatever the filter is. */
    void turned(boolean flipped, double angle) {
        double sin = Math.sin(angle), cos = Math.cos(angle);
        double stepX = from.width() / (double) width, stepY = from.height() / (double) to.height();
        for (int y = 0; y < to.height(); y++) {
            for (int x = 0; x < width; x++) {
                double cx = (flipped ? width - 1 - x : x) + 0.5 - width / 2.0, cy = y + 0.5 - to.height() / 2.0;
                double sx = (cos * cx + sin * cy) * stepX + from.width() / 2.0 - 0.5;
                double sy = (cos * cy - sin * cx) * stepY + from.height() / 2.0 - 0.5;
                between(x, Math.clamp(sx, 0, from.width() - 1), Math.clamp(sy, 0, from.height() - 1));
            }
            finish(y);
            store(y);
        }
    }

    private void between(int x, double sx, double sy) {
        int x0 = (int) sx,
                y0 = (int) sy,
                x1 = Math.min(x0 + 1, from.width() - 1),
                y1 = Math.min(y0 + 1, from.height() - 1);
        float fx = (float) (sx - x0), fy = (float) (sy - y0);
        long above = from.row(y0), below = from.row(y1);
        for (int k = 0; k < 3; k++) {
            float a = sample(above + 3L * x0 + k), b = sample(above + 3L * x1 + k);
            float c = sample(below + 3L * x0 + k), d = sample(below + 3L * x1 + k);
            float top = a + fx * (b - a), bottom = c + fx * (d - c);
            row[k * width + x] = top + fy * (bottom - top);
        }
    }

    private static float sample(long address) {
        return Memory.getByte(address) & 255;
    }

    /** Colours, normalises and cuts the hole out. */
    private void finish(int y) {
        if (matrix != null) colour();
        for (int c = 0; c < 3; c++) {
            float a = scale[c], b = shift[c];
            for (int i = c * width; i < (c + 1) * width; i++) row[i] = row[i] * a + b;
        }
        if (holed && y >= holeY && y < holeY + to.hole())
            for (int c = 0; c < 3; c++)
                Arrays.fill(
                        row,
                        c * width + Math.clamp(holeX, 0, width),
                        c * width + Math.clamp(holeX + to.hole(), 0, width),
                        to.output().dtype().isFloating()
                                ? 0
                                : to.output().mean().get(c) * scale[c] + shift[c]);
    }

    private void store(int y) {
        boolean planar = to.output().layout() == ImageLayout.CHW;
        for (int c = 0; c < 3; c++) {
            long first = planar ? ((long) c * to.height() + y) * width : 3L * y * width + c;
            write(first, planar ? 1 : 3, c * width);
        }
    }

    private void colour() {
        float[] m = matrix;
        for (int x = 0; x < width; x++) {
            float r = row[x], g = row[width + x], b = row[2 * width + x];
            for (int c = 0; c < 3; c++) {
                float v = m[4 * c] * r + m[4 * c + 1] * g + m[4 * c + 2] * b + m[4 * c + 3];
                row[c * width + x] = Math.clamp(v, 0f, 255f);
            }
        }
    }

    /** Writes a row of a channel from an element on, each so many elements behind the one before. */
    private void write(long first, int step, int at) {
        switch (to.output().dtype()) {
            case F32 -> {
                long a = address + 4 * first;
                if (step == 1) MemorySegment.copy(row, at, Memory.ALL, Memory.FLOAT, a, width);
                else for (int x = 0; x < width; x++, a += 4L * step) Memory.putFloat(a, row[at + x]);
            }
            case U8 -> {
                for (int x = 0; x < width; x++)
                    Memory.putByte(
                            address + first + (long) x * step, (byte) Math.clamp(Math.round(row[at + x]), 0, 255));
            }
            case F16 -> {
                for (int x = 0; x < width; x++)
                    Memory.putShort(address + 2 * (first + (long) x * step), Half.toF16(row[at + x]));
            }
            default -> {
                for (int x = 0; x < width; x++)
                    Memory.putShort(address + 2 * (first + (long) x * step), Half.toBf16(row[at + x]));
            }
        }
    }
}
