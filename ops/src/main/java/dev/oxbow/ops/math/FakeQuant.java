package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Rounding to the levels of a quantised type while staying in f32, as training for quantised inference does. */
record FakeQuant(float low, float high, float scale) {

    /** The range moved so that zero is exactly one of the levels. */
    static FakeQuant of(float min, float max, int bits, boolean narrow) {
        float least = narrow ? 1 : 0, most = (1 << bits) - 1;
        float scale = (max - min) / (most - least), fromMin = least - min / scale;
        float zero = fromMin < least ? least : fromMin > most ? most : (float) Math.floor(fromMin + 0.5f);
        return new FakeQuant((least - zero) * scale, (most - zero) * scale, scale);
    }

    float apply(float x) {
        float inverse = 1 / scale, zero = (float) Math.floor(-low * inverse + 0.5f);
        float shifted = Math.max(Math.min(x, high), low) - low;
        return (float) Math.floor(shifted * inverse - zero + 0.5f) * scale;
    }

    boolean contains(float x) {
        return x >= low && x <= high;
    }

    /** The levels of each channel from tensors of limits; null where both limits are 0, which quantises to 0. */
    static FakeQuant[] of(Tensor min, Tensor max, int bits, boolean narrow) {
        FakeQuant[] all = new FakeQuant[Counts.toInt(min.size())];
        for (int i = 0; i < all.length; i++) {
            float low = (float) min.getDouble(i), high = (float) max.getDouble(i);
            if (low != 0 || high != 0) all[i] = of(low, high, bits, narrow);
        }
        return all;
    }

    /** {@code y} = x on the levels of its channel, the last dimension. */
    static void run(Tensor x, FakeQuant[] levels, Tensor y) {
        for (long i = 0; i < x.size(); i++) {
            FakeQuant q = levels[(int) (i % levels.length)];
            y.set(i, q == null ? 0 : q.apply(Memory.getFloat(x.address() + 4 * i)));
        }
    }

    /** Gradients of x, and of the limits where x lies outside of them. */
    static void gradient(Tensor dy, Tensor x, FakeQuant[] levels, Tensor dx, Tensor dmin, Tensor dmax) {
        double[] low = new double[levels.length], high = new double[levels.length];
        for (long i = 0; i < x.size(); i++) {
            int c = (int) (i % levels.length);
            FakeQuant q = levels[c];
            float v = Memory.getFloat(x.address() + 4 * i), d = Memory.getFloat(dy.address() + 4 * i);
            boolean inside = q == null || q.contains(v);
            dx.set(i, inside ? d : 0);
            if (!inside && v < q.low) low[c] += d;
            else if (!inside && v > q.high) high[c] += d;
        }
        if (dmin == null) return;
        for (int c = 0; c < levels.length; c++) {
            dmin.set(c, low[c]);
            dmax.set(c, high[c]);
        }
    }

    static void check(int bits) {
        require(bits >= 2 && bits <= 16, INVALID_ARGUMENT, "num_bits must be between 2 and 16, got %d", bits);
    }

    static void check(int bits, float min, float max) {
        check(bits);
        require(min < max, INVALID_ARGUMENT, "min has to be smaller than max, was: %s >= %s", min, max);
    }

    /** The shape of inputs whose limits are per channel. */
    static void channels(Shape x, Shape min, Shape max) {
        Arguments.rank("min", min, 1);
        Arguments.rank("max", max, 1);
        Arguments.atLeast("inputs", x, 1);
        require(
                x.rank() < 0
                        || Shape.of(x.dim(-1)).isCompatibleWith(min)
                                && Shape.of(x.dim(-1)).isCompatibleWith(max),
                INVALID_ARGUMENT,
                "min and max must have one entry for each channel of %s, got %s and %s",
                x,
                min,
                max);
    }
}
