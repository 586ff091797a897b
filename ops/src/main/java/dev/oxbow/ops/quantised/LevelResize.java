package dev.oxbow.ops.quantised;

import dev.oxbow.kernels.image.Resize.Grid;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/**
 * Linear interpolation of levels themselves, by whole numbers.
 *
 * @param one a weight of one: 7 bits, or 30 for levels of 32, of which the first 24 count
 */
record LevelResize(Grid grid, long one) {

    static LevelResize of(Grid grid, DType type) {
        return new LevelResize(grid, 1L << (type == DType.QI32 ? 30 : 7));
    }

    /** The two neighbours of each place along an axis, and the weight of the second. */
    private record Axis(long[] lower, long[] upper, long[] weights) {}

    private Axis axis(long in, long out) {
        int n = (int) out;
        Axis a = new Axis(new long[n], new long[n], new long[n]);
        float scale = grid.alignCorners() && out > 1 ? (in - 1) / (float) (out - 1) : in / (float) out;
        for (int i = 0; i < n; i++) {
            float at = grid.halfPixelCenters() ? (i + 0.5f) * scale - 0.5f : i * scale;
            float below = (float) Math.floor(at);
            a.lower[i] = Math.max((long) below, 0);
            a.upper[i] = Math.min((long) Math.ceil(at), in - 1);
            a.weights[i] = (long) ((at - below) * one);
        }
        return a;
    }

    void run(Tensor x, Tensor y) {
        Shape in = x.shape(), out = y.shape();
        Axis rows = axis(in.dim(1), out.dim(1)), columns = axis(in.dim(2), out.dim(2));
        long channels = in.dim(3), to = 0;
        for (long n = 0; n < out.dim(0); n++)
            for (int r = 0; r < out.dim(1); r++) {
                long top = (n * in.dim(1) + rows.lower[r]) * in.dim(2),
                        bottom = (n * in.dim(1) + rows.upper[r]) * in.dim(2);
                for (int k = 0; k < out.dim(2); k++)
                    for (long c = 0; c < channels; c++) {
                        long left = columns.lower[k] * channels + c, right = columns.upper[k] * channels + c;
                        long above = between(x, top * channels, left, right, columns.weights[k]);
                        long under = between(x, bottom * channels, left, right, columns.weights[k]);
                        long sum = above + (under - above) / one * rows.weights[r];
                        y.setLong(to++, (int) ((sum + one / 2) / one));
                    }
            }
    }

    private long between(Tensor x, long row, long left, long right, long weight) {
        long a = (long) (float) x.getLong(row + left), b = (long) (float) x.getLong(row + right);
        return a * one + (b - a) * weight;
    }
}
