package dev.oxbow.kernels.image;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;

/** Conversions of pixels with three channels last. */
public final class Colours {
    private Colours() {}

    /** Changes one pixel of three channels in place. */
    public interface Pixel {
        void change(double[] p);
    }

    public static void each(Tensor x, Tensor y, Pixel pixel, Parallel parallel) {
        parallel.run(x.size() / 3, 1 << 11, (from, to) -> {
            double[] p = new double[3];
            for (long i = from; i < to; i++) {
                for (int k = 0; k < 3; k++) p[k] = x.getDouble(3 * i + k);
                pixel.change(p);
                for (int k = 0; k < 3; k++) y.set(3 * i + k, p[k]);
            }
        });
    }

    /** Hue, saturation and value, hue in [0, 1). */
    public static void toHsv(double[] p) {
        double r = p[0], g = p[1], b = p[2], v = Math.max(r, Math.max(g, b)), range = v - Math.min(r, Math.min(g, b));
        double norm = 1 / (6 * range);
        double h =
                range <= 0 ? 0 : r == v ? norm * (g - b) : g == v ? norm * (b - r) + 2.0 / 6 : norm * (r - g) + 4.0 / 6;
        p[0] = h < 0 ? h + 1 : h;
        p[1] = v > 0 ? range / v : 0;
        p[2] = v;
    }

    public static void toRgb(double[] p) {
        double h = 6 * p[0], s = p[1], v = p[2];
        p[0] = (1 - s + s * unit(Math.abs(h - 3) - 1)) * v;
        p[1] = (1 - s + s * unit(2 - Math.abs(h - 2))) * v;
        p[2] = (1 - s + s * unit(2 - Math.abs(h - 4))) * v;
    }

    private static double unit(double x) {
        return Math.max(0, Math.min(1, x));
    }

    /** Turns the hue by {@code delta} of a full turn, keeping the largest and the smallest channel. */
    public static Pixel hue(float delta) {
        return p -> {
            double r = p[0], g = p[1], b = p[2];
            double high = Math.max(r, Math.max(g, b)), low = Math.min(r, Math.min(g, b)), range = high - low;
            double h = range <= 0
                    ? 0
                    : high == r ? (g - b) / range : high == g ? (b - r) / range + 2 : (r - g) / range + 4;
            h = (h + 6.0 * delta) % 6;
            if (h < 0) h += 6;
            p[0] = low + range * unit(Math.abs(h - 3) - 1);
            p[1] = low + range * unit(2 - Math.abs(h - 2));
            p[2] = low + range * unit(2 - Math.abs(h - 4));
        };
    }

    public static Pixel saturation(float scale) {
        return p -> {
            toHsv(p);
            p[1] = unit(p[1] * scale);
            toRgb(p);
        };
    }

    /** {@code y = (x - mean) factor + mean}, with the mean of each channel of each image; in f32. */
    public static void contrast(Tensor x, float factor, Tensor y, Parallel parallel) {
        if (x.size() == 0) return; // of images without pixels there may be more than one can count
        int rank = x.shape().rank(), c = Counts.toInt(x.shape().dim(-1));
        long pixels = x.shape().dim(-2) * x.shape().dim(-3);
        parallel.run(x.shape().size(0, rank - 3), 1, (from, to) -> {
            for (long image = from; image < to; image++) {
                long at = image * pixels * c;
                float[] sum = sums(x, at, Counts.toInt(pixels), c);
                for (long i = 0; i < pixels * c; i++) {
                    float mean = sum[(int) (i % c)] * (1f / pixels);
                    y.set(at + i, mean + ((float) x.getDouble(at + i) - mean) * factor);
                }
            }
        });
    }

    /** The sum of each channel, the second half of the pixels added to the first until one is left, as TensorFlow does. */
    private static float[] sums(Tensor x, long at, int pixels, int c) {
        float[] v = Counts.array((long) pixels * c, float[]::new);
        for (int i = 0; i < v.length; i++) v[i] = (float) x.getDouble(at + i);
        for (int n = pixels; n > 1; n = (n + 1) / 2) {
            int half = (n + 1) / 2;
            for (int i = 0; i < n / 2 * c; i++) v[i] += v[half * c + i];
        }
        return v;
    }
}
