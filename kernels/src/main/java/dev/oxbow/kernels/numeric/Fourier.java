package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Discrete Fourier transforms along the last axes, of any length, complex and real, computed in f64. */
public final class Fourier {

    /*
     * Lengths that are powers of two run Cooley and Tukey's butterflies in place. Any other length n is a convolution of
     * length at least 2n - 1 (Bluestein), done by two transforms of a power of two.
     */

    private Fourier() {}

    /** {@code y} = the transform of complex {@code x} over its last axes; the inverse one is divided by the size. */
    public static void complex(Tensor x, int axes, boolean inverse, Tensor y, Parallel parallel) {
        if (x.size() == 0) return;
        double[] v = Counts.array(2 * x.size(), double[]::new);
        for (int i = 0; i < x.size(); i++) {
            v[2 * i] = Matrix.real(x, i);
            v[2 * i + 1] = Matrix.imaginary(x, i);
        }
        long[] dims = x.shape().dims();
        for (int a = dims.length - axes; a < dims.length; a++) along(v, dims, a, inverse, parallel);
        for (int i = 0; i < x.size(); i++) Matrix.put(y, i, v[2 * i], v[2 * i + 1]);
    }

    /**
     * {@code y} = the first half of the transform of real {@code x}, which is cut or filled with zeros to
     * {@code lengths} along the last axes.
     */
    public static void fromReal(Tensor x, long[] lengths, Tensor y, Parallel parallel) {
        int axes = lengths.length, rank = x.shape().rank();
        long[] dims = x.shape().dims();
        System.arraycopy(lengths, 0, dims, rank - axes, axes);
        double[] v = resized(x, dims);
        if (v.length == 0) return;
        for (int a = rank - axes; a < rank; a++) along(v, dims, a, false, parallel);
        long full = dims[rank - 1], half = full / 2 + 1;
        for (long i = 0; i < y.size(); i++) {
            int at = Counts.toInt(2 * (i / half * full + i % half));
            Matrix.put(y, i, v[at], v[at + 1]);
        }
    }

    /** {@code y} real, of {@code lengths} along the last axes, from the first half {@code x} of its transform. */
    public static void toReal(Tensor x, long[] lengths, Tensor y, Parallel parallel) {
        if (y.size() == 0) return;
        int axes = lengths.length, rank = x.shape().rank();
        long[] dims = x.shape().dims();
        System.arraycopy(lengths, 0, dims, rank - axes, axes);
        int full = Counts.toInt(dims[rank - 1]), half = full / 2 + 1;
        dims[rank - 1] = half;
        double[] v = resized(x, dims);
        for (int a = rank - axes; a < rank - 1; a++) along(v, dims, a, true, parallel);
        parallel.run(y.size() / full, Math.max(1, (1 << 10) / full), (from, to) -> {
            double[] line = Counts.array(2L * full, double[]::new);
            for (long r = from; r < to; r++) {
                int at = Counts.toInt(2 * r * half);
                for (int k = 0; k < half; k++) {
                    boolean own = k == 0 || 2 * k == full;
                    line[2 * k] = v[at + 2 * k];
                    line[2 * k + 1] = own ? 0 : v[at + 2 * k + 1];
                    if (own) continue;
                    line[2 * (full - k)] = v[at + 2 * k];
                    line[2 * (full - k) + 1] = -v[at + 2 * k + 1];
                }
                transform(line, true);
                for (int k = 0; k < full; k++) y.set(r * full + k, line[2 * k] / full);
            }
        });
    }

    /** Elements as complex numbers, each dimension cut or filled with zeros. */
    private static double[] resized(Tensor x, long[] dims) {
        long size = 1;
        for (long d : dims) size *= d;
        double[] v = Counts.array(2 * size, double[]::new);
        long[] own = x.shape().dims();
        for (long i = 0; i < size; i++) {
            long rest = i, at = 0, stride = 1;
            boolean inside = true;
            for (int d = dims.length - 1; d >= 0; d--) {
                long k = rest % dims[d];
                rest /= dims[d];
                inside &= k < own[d];
                at += k * stride;
                stride *= own[d];
            }
            if (!inside) continue;
            v[(int) (2 * i)] = Matrix.real(x, at);
            v[(int) (2 * i) + 1] = Matrix.imaginary(x, at);
        }
        return v;
    }

    private static void along(double[] v, long[] dims, int axis, boolean inverse, Parallel parallel) {
        int n = Counts.toInt(dims[axis]);
        long inner = 1;
        for (int d = axis + 1; d < dims.length; d++) inner *= dims[d];
        int step = Counts.toInt(inner);
        if (n == 0 || v.length == 0) return;
        parallel.run(v.length / 2 / n, Math.max(1, (1 << 10) / n), (from, to) -> {
            double[] line = Counts.array(2L * n, double[]::new);
            for (long l = from; l < to; l++) {
                int at = Counts.toInt(l / step * step * n + l % step);
                for (int k = 0; k < n; k++) {
                    line[2 * k] = v[2 * (at + k * step)];
                    line[2 * k + 1] = v[2 * (at + k * step) + 1];
                }
                transform(line, inverse);
                double scale = inverse ? 1.0 / n : 1;
                for (int k = 0; k < n; k++) {
                    v[2 * (at + k * step)] = line[2 * k] * scale;
                    v[2 * (at + k * step) + 1] = line[2 * k + 1] * scale;
                }
            }
        });
    }

    /** In place, not scaled. */
    private static void transform(double[] x, boolean inverse) {
        int n = x.length / 2;
        if (Integer.bitCount(n) == 1) powerOfTwo(x, inverse);
        else bluestein(x, inverse);
    }

    private static void powerOfTwo(double[] x, boolean inverse) {
        int n = x.length / 2;
        for (int i = 1, j = 0; i < n; i++) {
            int bit = n >> 1;
            for (; (j & bit) != 0; bit >>= 1) j ^= bit;
            j ^= bit;
            if (i >= j) continue;
            double re = x[2 * i], im = x[2 * i + 1];
            x[2 * i] = x[2 * j];
            x[2 * i + 1] = x[2 * j + 1];
            x[2 * j] = re;
            x[2 * j + 1] = im;
        }
        for (int length = 2; length <= n; length <<= 1) {
            int half = length / 2;
            for (int k = 0; k < half; k++) {
                double angle = (inverse ? 2 : -2) * Math.PI * k / length, c = Math.cos(angle), s = Math.sin(angle);
                for (int i = k; i < n; i += length) {
                    int a = 2 * i, b = 2 * (i + half);
                    double re = x[b] * c - x[b + 1] * s, im = x[b] * s + x[b + 1] * c;
                    x[b] = x[a] - re;
                    x[b + 1] = x[a + 1] - im;
                    x[a] += re;
                    x[a + 1] += im;
                }
            }
        }
    }

    private static void bluestein(double[] x, boolean inverse) {
        int n = x.length / 2, m = Counts.toInt(Long.highestOneBit(4L * n - 1));
        double[] chirp = new double[2 * n], a = Counts.array(2L * m, double[]::new), b = a.clone();
        for (int k = 0; k < n; k++) {
            double angle = (inverse ? 1 : -1) * Math.PI * ((long) k * k % (2L * n)) / n;
            chirp[2 * k] = Math.cos(angle);
            chirp[2 * k + 1] = Math.sin(angle);
            multiply(x, k, chirp[2 * k], chirp[2 * k + 1], a, k);
            b[2 * k] = chirp[2 * k];
            b[2 * k + 1] = -chirp[2 * k + 1];
            if (k == 0) continue;
            b[2 * (m - k)] = b[2 * k];
            b[2 * (m - k) + 1] = b[2 * k + 1];
        }
        powerOfTwo(a, false);
        powerOfTwo(b, false);
        for (int k = 0; k < m; k++) multiply(a, k, b[2 * k], b[2 * k + 1], a, k);
        powerOfTwo(a, true);
        Arrays.fill(x, 0);
        for (int k = 0; k < n; k++) multiply(a, k, chirp[2 * k] / m, chirp[2 * k + 1] / m, x, k);
    }

    private static void multiply(double[] x, int i, double re, double im, double[] y, int o) {
        double a = x[2 * i], b = x[2 * i + 1];
        y[2 * o] = a * re - b * im;
        y[2 * o + 1] = a * im + b * re;
    }
}
