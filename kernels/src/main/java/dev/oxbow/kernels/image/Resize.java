package dev.oxbow.kernels.image;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

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

    /**
     * Along one axis, the input positions that each output position mixes, and their weights: those of output
     * {@code o} are at {@code [start[o], start[o + 1])}.
     */
    public record Taps(int[] start, int[] positions, float[] weights) {

        /** How many positions an output mixes. */
        interface Span {
            int of(int output);
        }

        /** Room for the taps of {@code out} positions. */
        static Taps of(long out, Span span) {
            int[] start = Counts.array(Counts.plus(out, 1), int[]::new);
            for (int o = 0; o < out; o++) start[o + 1] = Counts.toInt((long) start[o] + span.of(o));
            int all = start[start.length - 1];
            return new Taps(start, Counts.array(all, int[]::new), Counts.array(all, float[]::new));
        }

        int outputs() {
            return start.length - 1;
        }

        void set(int at, int position, float weight) {
            positions[at] = position;
            weights[at] = weight;
        }

        /** Divides the weights of output {@code o} by their sum, unless that is as good as zero. */
        void normalise(int o) {
            float sum = 0;
            for (int i = start[o]; i < start[o + 1]; i++) sum += weights[i];
            if (Math.abs(sum) < 1000 * Float.MIN_NORMAL) return;
            for (int i = start[o]; i < start[o + 1]; i++) weights[i] /= sum;
        }
    }

    public static Taps bilinear(long in, long out, Grid grid) {
        float scale = grid.scale(in, out);
        Taps taps = Taps.of(out, _ -> 2);
        for (int o = 0; o < out; o++) {
            float at = grid.place(o, scale), floor = (float) Math.floor(at), part = at - floor;
            // rounding may put the last output past the last input
            int low = (int) Math.clamp((long) floor, 0, in - 1), high = (int) Math.min(Math.ceil(at), in - 1);
            taps.set(2 * o, low, 1 - part);
            taps.set(2 * o + 1, high, part);
        }
        return taps;
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
        Taps taps = Taps.of(out, _ -> 4);
        for (int o = 0; o < out; o++) {
            float at = grid.place(o, scale);
            int low = (int) Math.floor(at), offset = (int) Math.rint((at - low) * TABLE);
            float[] w = {
                table[2 * offset + 1], table[2 * offset], table[2 * (TABLE - offset)], table[2 * (TABLE - offset) + 1]
            };
            for (int k = 0; k < 4; k++) {
                int i = (int) Math.min(in - 1, Math.max(0, low - 1 + k));
                taps.set(4 * o + k, i, grid.halfPixelCenters() && i != low - 1 + k ? 0 : w[k]);
            }
            if (grid.halfPixelCenters()) taps.normalise(o);
        }
        return taps;
    }

    /** The mean over the part of the input that an output position covers. */
    public static Taps area(long in, long out, Grid grid) {
        float scale = grid.scale(in, out);
        Taps taps = Taps.of(out, o -> (int) Math.ceil((o + 1) * scale) - (int) Math.floor(o * scale));
        for (int o = 0; o < out; o++) {
            float from = o * scale, to = (o + 1) * scale;
            int start = (int) Math.floor(from), end = (int) Math.ceil(to);
            for (int i = start; i < end; i++) {
                float covered = i < from ? (i + 1 > to ? scale : i + 1 - from) : (i + 1 > to ? to - i : 1);
                taps.set(taps.start[o] + i - start, (int) Math.min(in - 1, Math.max(0, i)), covered / scale);
            }
        }
        return taps;
    }

    public static Taps nearest(long in, long out, Grid grid) {
        float scale = grid.scale(in, out);
        Taps taps = Taps.of(out, _ -> 1);
        for (int o = 0; o < out; o++) taps.set(o, (int) grid.nearest(o, scale, in), 1);
        return taps;
    }

    /** {@code y[b, i, j, c]} = the sum over taps of rows and columns. */
    public static void run(Tensor x, Taps rows, Taps columns, Tensor y, Parallel parallel) {
        long h = x.shape().dim(1), w = x.shape().dim(2);
        int c = Counts.toInt(x.shape().dim(3)), outH = rows.outputs(), outW = columns.outputs();
        if (y.size() == 0) return;
        parallel.run(x.shape().dim(0) * outH, Math.max(1, (1 << 12) / Math.max(1, outW * c)), (from, to) -> {
            double[] sum = Counts.array(c, double[]::new);
            for (long r = from; r < to; r++) {
                long image = r / outH;
                int i = (int) (r % outH);
                for (int j = 0; j < outW; j++) {
                    Arrays.fill(sum, 0);
                    for (int p = rows.start[i]; p < rows.start[i + 1]; p++) {
                        for (int q = columns.start[j]; q < columns.start[j + 1]; q++) {
                            float weight = rows.weights[p] * columns.weights[q];
                            if (weight == 0) continue;
                            long at = ((image * h + rows.positions[p]) * w + columns.positions[q]) * c;
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
        int outH = rows.outputs(), outW = columns.outputs();
        if (y.size() == 0) return;
        parallel.run(x.shape().dim(0) * outH, Math.max(1, (1 << 12) / Math.max(1, outW)), (from, to) -> {
            for (long r = from; r < to; r++) {
                long row = (r / outH * h + rows.positions[(int) (r % outH)]) * w;
                for (int j = 0; j < outW; j++)
                    Memory.copy(
                            x.address() + (row + columns.positions[j]) * pixel,
                            y.address() + (r * outW + j) * pixel,
                            pixel);
            }
        });
    }

    /** {@code dx}: what each output position's gradient gives to the positions that it mixed. */
    public static void gradient(Tensor dy, Taps rows, Taps columns, Tensor dx, Parallel parallel) {
        int c = Counts.toInt(dx.shape().dim(3)), outH = rows.outputs(), outW = columns.outputs();
        int h = Counts.toInt(dx.shape().dim(1)), w = Counts.toInt(dx.shape().dim(2));
        parallel.run(dx.shape().dim(0), 1, (from, to) -> {
            for (long image = from; image < to; image++) {
                double[] sum = Counts.array((long) h * w * c, double[]::new);
                for (int i = 0; i < outH; i++) {
                    for (int j = 0; j < outW; j++) {
                        long at = ((image * outH + i) * outW + j) * c;
                        for (int p = rows.start[i]; p < rows.start[i + 1]; p++) {
                            for (int q = columns.start[j]; q < columns.start[j + 1]; q++) {
                                float weight = rows.weights[p] * columns.weights[q];
                                int into = (rows.positions[p] * w + columns.positions[q]) * c;
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
