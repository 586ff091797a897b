package dev.oxbow.kernels.image;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;

/**
 * Images [batch, rows, columns, channels] in another size, as weighted sums of a few rows and columns each, and the
 * gradients of that. Coordinates and weights are floats, as in TensorFlow, so that borders fall alike.
 */
public final class Resize {
    private Resize() {}

    /** How an output position finds its place in the input. */
    public record Grid(boolean alignCorners, boolean halfPixelCenters) {
        float scale(long in, long out) {
            return alignCorners && out > 1 ? (in - 1) / (float) (out - 1) : in / (float) out;
        }

        float place(long out, float scale) {
            return halfPixelCenters ? (out + 0.5f) * scale - 0.5f : out * scale;
        }

        /** The nearest input position. */
        long nearest(long out, float scale, long in) {
            float at = halfPixelCenters ? (out + 0.5f) * scale : out * scale;
            long i = (long) (alignCorners ? Math.floor(Math.abs(at) + 0.5f) : Math.floor(at));
            return Math.max(0, Math.min(i, in - 1));
        }
    }

    /** Along one axis: for every output position, the input positions that it mixes and their weights. */
    public record Taps(int[][] positions, float[][] weights) {}

    public static Taps bilinear(long in, long out, Grid grid) {
        float scale = grid.scale(in, out);
        int[][] positions = new int[Counts.toInt(out)][];
        float[][] weights = new float[positions.length][];
        for (int o = 0; o < out; o++) {
            float at = grid.place(o, scale), floor = (float) Math.floor(at), part = at - floor;
            int low = (int) Math.max(floor, 0), high = (int) Math.min(Math.ceil(at), in - 1);
            positions[o] = new int[] {low, high};
            weights[o] = new float[] {1 - part, part};
        }
        return new Taps(positions, weights);
    }

    private static final int TABLE = 1024;
    private static final float[] LEGACY = cubicTable(-0.75);
    private static final float[] KEYS = cubicTable(-0.5);

    private static float[] cubicTable(double a) {
        float[] t = new float[2 * (TABLE + 1)];
        for (int i = 0; i <= TABLE; i++) {
            float x = i / (float) TABLE;
            t[2 * i] = (float) (((a + 2) * x - (a + 3)) * x * x + 1);
            x += 1;
            t[2 * i + 1] = (float) (((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
        }
        return t;
    }

    /** With half-pixel centers, positions outside have no weight; else they repeat the border. */
    public static Taps bicubic(long in, long out, Grid grid) {
        float scale = grid.scale(in, out);
        float[] table = grid.halfPixelCenters() ? KEYS : LEGACY;
        int[][] positions = new int[Counts.toInt(out)][4];
        float[][] weights = new float[positions.length][4];
        for (int o = 0; o < out; o++) {
            float at = grid.place(o, scale);
            int low = (int) Math.floor(at), offset = (int) Math.rint((at - low) * TABLE);
            float[] w = {
                table[2 * offset + 1], table[2 * offset], table[2 * (TABLE - offset)], table[2 * (TABLE - offset) + 1]
            };
            float sum = 0;
            for (int k = 0; k < 4; k++) {
                int i = (int) Math.min(in - 1, Math.max(0, low - 1 + k));
                positions[o][k] = i;
                weights[o][k] = grid.halfPixelCenters() && i != low - 1 + k ? 0 : w[k];
                sum += weights[o][k];
            }
            if (!grid.halfPixelCenters() || Math.abs(sum) < 1000 * Float.MIN_NORMAL) continue;
            for (int k = 0; k < 4; k++) weights[o][k] /= sum;
        }
        return new Taps(positions, weights);
    }

    /** The mean over the part of the input that an output position covers. */
    public static Taps area(long in, long out, Grid grid) {
        float scale = grid.scale(in, out);
        int[][] positions = new int[Counts.toInt(out)][];
        float[][] weights = new float[positions.length][];
        for (int o = 0; o < out; o++) {
            float from = o * scale, to = (o + 1) * scale;
            int start = (int) Math.floor(from), end = (int) Math.ceil(to);
            positions[o] = new int[end - start];
            weights[o] = new float[end - start];
            for (int i = start; i < end; i++) {
                float covered = i < from ? (i + 1 > to ? scale : i + 1 - from) : (i + 1 > to ? to - i : 1);
                positions[o][i - start] = (int) Math.min(in - 1, Math.max(0, i));
                weights[o][i - start] = covered / scale;
            }
        }
        return new Taps(positions, weights);
    }

    public static Taps nearest(long in, long out, Grid grid) {
        float scale = grid.scale(in, out);
        int[][] positions = new int[Counts.toInt(out)][];
        float[][] weights = new float[positions.length][];
        for (int o = 0; o < out; o++) {
            positions[o] = new int[] {(int) grid.nearest(o, scale, in)};
            weights[o] = new float[] {1};
        }
        return new Taps(positions, weights);
    }

    /** {@code y[b, i, j, c]} = the sum over taps of rows and columns. */
    public static void run(Tensor x, Taps rows, Taps columns, Tensor y, Parallel parallel) {
        long h = x.shape().dim(1), w = x.shape().dim(2);
        int c = Counts.toInt(x.shape().dim(3)), outH = rows.positions.length, outW = columns.positions.length;
        if (y.size() == 0) return;
        parallel.run(x.shape().dim(0) * outH, Math.max(1, (1 << 12) / Math.max(1, outW * c)), (from, to) -> {
            double[] sum = new double[c];
            for (long r = from; r < to; r++) {
                long image = r / outH;
                int i = (int) (r % outH);
                for (int j = 0; j < outW; j++) {
                    java.util.Arrays.fill(sum, 0);
                    for (int p = 0; p < rows.positions[i].length; p++) {
                        for (int q = 0; q < columns.positions[j].length; q++) {
                            float weight = rows.weights[i][p] * columns.weights[j][q];
                            if (weight == 0) continue;
                            long at = ((image * h + rows.positions[i][p]) * w + columns.positions[j][q]) * c;
                            for (int k = 0; k < c; k++) sum[k] += weight * x.getDouble(at + k);
                        }
                    }
                    for (int k = 0; k < c; k++) y.set((r * outW + j) * c + k, sum[k]);
                }
            }
        });
    }

    /** Elements picked without arithmetic, for any dtype: each axis has one tap. */
    public static void pick(Tensor x, Taps rows, Taps columns, Tensor y, Parallel parallel) {
        long h = x.shape().dim(1),
                w = x.shape().dim(2),
                pixel = x.shape().dim(3) * x.dtype().size();
        int outH = rows.positions.length, outW = columns.positions.length;
        if (y.size() == 0) return;
        parallel.run(x.shape().dim(0) * outH, Math.max(1, (1 << 12) / Math.max(1, outW)), (from, to) -> {
            for (long r = from; r < to; r++) {
                long row = (r / outH * h + rows.positions[(int) (r % outH)][0]) * w;
                for (int j = 0; j < outW; j++)
                    dev.oxbow.tensor.Memory.copy(
                            x.address() + (row + columns.positions[j][0]) * pixel,
                            y.address() + (r * outW + j) * pixel,
                            pixel);
            }
        });
    }

    /** {@code dx}: what each output position's gradient gives to the positions that it mixed. */
    public static void gradient(Tensor dy, Taps rows, Taps columns, Tensor dx, Parallel parallel) {
        int c = Counts.toInt(dx.shape().dim(3)), outH = rows.positions.length, outW = columns.positions.length;
        int h = Counts.toInt(dx.shape().dim(1)), w = Counts.toInt(dx.shape().dim(2));
        parallel.run(dx.shape().dim(0), 1, (from, to) -> {
            for (long image = from; image < to; image++) {
                double[] sum = new double[h * w * c];
                for (int i = 0; i < outH; i++) {
                    for (int j = 0; j < outW; j++) {
                        long at = ((image * outH + i) * outW + j) * c;
                        for (int p = 0; p < rows.positions[i].length; p++) {
                            for (int q = 0; q < columns.positions[j].length; q++) {
                                float weight = rows.weights[i][p] * columns.weights[j][q];
                                int into = (rows.positions[i][p] * w + columns.positions[j][q]) * c;
                                for (int k = 0; k < c; k++) sum[into + k] += weight * dy.getDouble(at + k);
                            }
                        }
                    }
                }
                for (int k = 0; k < sum.length; k++) dx.set(image * sum.length + k, sum[k]);
            }
        });
    }
}
