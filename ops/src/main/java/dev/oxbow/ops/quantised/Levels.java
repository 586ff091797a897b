package dev.oxbow.ops.quantised;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;

/**
 * What the levels of a quantised type stand for between two limits: the least level for the first, the greatest for the
 * second, and zero for a level of its own.
 */
record Levels(DType type, float low, float high) {

    static Levels of(Tensor t, KernelContext c, int min) {
        return new Levels(t.dtype(), limit(c, min), limit(c, min + 1));
    }

    /** The number in an input of one element. */
    static float limit(KernelContext c, int i) {
        return (float) c.input(i).getDouble(0);
    }

    /** The least level of a type. */
    static long least(DType type) {
        return switch (type) {
            case QI8 -> Byte.MIN_VALUE;
            case QI16 -> Short.MIN_VALUE;
            case QI32 -> Integer.MIN_VALUE;
            default -> 0;
        };
    }

    /** The greatest level of a type. */
    static long most(DType type) {
        return least(type) + steps(type) - 1;
    }

    private static long steps(DType type) {
        return 1L << 8 * type.size();
    }

    /** The level nearest to a number, which may be outside of the type. */
    long near(float x) {
        if (low == high) return least(type);
        double scale = steps(type) / ((double) (high - low) * (steps(type) / (steps(type) - 1.0)));
        return (long) (away(x * scale) - away(low * scale)) + least(type);
    }

    /** The level nearest to a number, of those that there are. */
    long quantise(float x) {
        return Math.clamp(near(x), least(type), most(type));
    }

    /** The level that stands for zero. */
    long zero() {
        return near(0);
    }

    /** The number that a level stands for. */
    float number(long level) {
        if (low == high) return low;
        double scale = (double) (high - low) * (steps(type) / (steps(type) - 1.0)) / steps(type);
        double first = away(low / (float) scale) * (double) (float) scale;
        return (float) (first + (level - least(type)) * scale);
    }

    /** The number that a level stands for, by arithmetic in f32. */
    float briefly(long level) {
        float scale = (float) ((high - low) / (steps(type) - 1.0));
        float first = high == low ? low : (float) (away(low / scale) * scale);
        return first - (float) least(type) * scale + (float) level * scale;
    }

    /** The level of a number, by arithmetic in f32. */
    long brieflyOf(float x) {
        float scale = high == low ? 0 : (float) ((steps(type) - 1.0) / (high - low));
        float from = (float) away(low * scale) - (float) least(type);
        float level = (float) away(x * scale) - from;
        float top = Math.min((float) most(type), 2.147483520e9f);
        return (long) Math.min(Math.max(level, (float) least(type)), top);
    }

    /** The width of one level. */
    float width() {
        return (high - low) / (most(type) - least(type));
    }

    /** Products of levels of both, counted from their zeros, as levels of another type. */
    static Levels ofProducts(Levels a, Levels b, DType type) {
        float one = a.width() * b.width();
        return new Levels(type, one * least(type), one * most(type));
    }

    /** Levels for sums of numbers of both, with room for 2^{@code bits} of the largest. */
    static Levels ofSums(Levels a, Levels b, DType type, int bits) {
        float largest = Math.max(Math.abs(Math.min(a.low, b.low)), Math.abs(Math.max(a.high, b.high)));
        float limit = largest * (1 << bits);
        return new Levels(type, -limit, limit);
    }

    /** The nearest whole number, halves away from zero. */
    private static double away(double x) {
        return Math.copySign(Math.floor(Math.abs(x) + 0.5), x);
    }
}
