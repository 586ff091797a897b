package dev.oxbow.kernels.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;

/**
 * Normal numbers between bounds, drawn as TensorFlow's CPU kernel does with one thread: from the normal distribution where
 * bounds let enough of it through, else uniformly where they are close, else from the exponential distribution of best fit, each
 * time with rejection (Robert, Simulation of truncated normal variables, 1995).
 */
public final class TruncatedNormals {
    /** Draws after which a number counts as lost. */
    public static final int MOST_DRAWS = 1000;

    /** Deviations that a bound must be away from the mean for plain rejection. */
    private static final double FAR = 1.3;

    private final boolean wide;
    private final Philox stream;
    private final int[] block = new int[4];
    private final double[] drawn;
    private final double[] others;

    /** Numbers as doubles or, unless {@code wide}, as floats. */
    public TruncatedNormals(Philox stream, DType dtype) {
        this.stream = stream;
        this.wide = dtype == DType.F64;
        this.drawn = new double[wide ? 2 : 4];
        this.others = new double[drawn.length];
    }

    /** Where numbers go: from an element on, so far apart, up to another. */
    private record Target(Tensor y, long from, long to, long apart) {}

    /** Fills elements {@code [from, to)} of {@code y} with numbers between {@code low} and {@code high}. */
    public void fill(Tensor y, long from, long to, double mean, double deviation, double low, double high) {
        fill(y, from, to, 1, mean, deviation, low, high);
    }

    /** Fills every {@code apart}-th element of {@code [from, to)}. */
    public void fill(Tensor y, long from, long to, long apart, double mean, double deviation, double low, double high) {
        require(
                deviation > 0 && low < high && (Double.isFinite(low) || Double.isFinite(high)),
                INVALID_ARGUMENT,
                "Invalid parameters: the deviation must be positive and bounds ascend, one of them finite, got %s and [%s, %s]",
                deviation,
                low,
                high);
        boolean flipped = low == Double.NEGATIVE_INFINITY || high < mean;
        double scale = flipped ? -deviation : deviation;
        double a = round(round((flipped ? high : low) - mean) / scale);
        double b = round(round((flipped ? low : high) - mean) / scale);
        double root = round(Math.sqrt(round(round(a * a) + 4)));
        double cutoff =
                round(round(2 * round(Math.exp(round(0.5 + round(round(a * round(a - root)) / 4))))) / round(a + root));
        Target target = new Target(y, from, to, apart);
        if (a < -FAR && b >= 0 || b > FAR && a <= 0) normal(target, mean, scale, a, b);
        else if (round(b - a) < cutoff) uniform(target, mean, scale, a, b);
        else exponential(target, mean, scale, a, b, round(round(a + root) / 2));
    }

    private double round(double x) {
        return wide ? x : (float) x;
    }

    private void normal(Target t, double mean, double scale, double a, double b) {
        int lost = 0;
        for (long at = t.from; at < t.to; ) {
            normals();
            for (int i = 0; i < drawn.length && at < t.to; i++) {
                if (drawn[i] < a || drawn[i] > b) {
                    requireDraws(++lost);
                    continue;
                }
                t.y.set(at, round(round(drawn[i] * scale) + mean));
                at += t.apart;
                lost = 0;
            }
        }
    }

    private void uniform(Target t, double mean, double scale, double a, double b) {
        double width = round(b - a), peak = a < 0 ? 0 : round(a * a);
        int lost = 0;
        for (long at = t.from; at < t.to; ) {
            uniforms(drawn);
            uniforms(others);
            for (int i = 0; i < drawn.length && at < t.to; i++) {
                double z = round(round(drawn[i] * width) + a);
                if (others[i] > round(Math.exp(round(round(peak - round(z * z)) / 2)))) {
                    requireDraws(++lost);
                    continue;
                }
                t.y.set(at, round(round(z * scale) + mean));
                at += t.apart;
                lost = 0;
            }
        }
    }

    private void exponential(Target t, double mean, double scale, double a, double b, double alpha) {
        int lost = 0;
        for (long at = t.from; at < t.to; ) {
            uniforms(drawn);
            for (int i = 0; i < drawn.length && at < t.to; i += 2) {
                double z = round(round(-round(Math.log(drawn[i])) / alpha) + a);
                double x = a < alpha ? round(alpha - z) : round(a - alpha);
                if (drawn[i + 1] > round(Math.exp(round(round(-x * x) / 2))) || z >= b) {
                    requireDraws(++lost);
                    continue;
                }
                t.y.set(at, round(round(z * scale) + mean));
                at += t.apart;
                lost = 0;
            }
        }
    }

    private static void requireDraws(int lost) {
        require(lost < MOST_DRAWS, INVALID_ARGUMENT, "no number between the bounds was found in %d draws", MOST_DRAWS);
    }

    private void uniforms(double[] to) {
        stream.next(block);
        for (int i = 0; i < to.length; i++)
            to[i] = wide ? Samples.toDouble(block[2 * i], block[2 * i + 1]) : Samples.toFloat(block[i]);
    }

    private void normals() {
        stream.next(block);
        if (wide) {
            Samples.normal(block[0], block[1], block[2], block[3], drawn);
            return;
        }
        float[] two = new float[2];
        for (int i = 0; i < 4; i++) {
            if (i % 2 == 0) Samples.normal(block[i], block[i + 1], two);
            drawn[i] = two[i % 2];
        }
    }
}
