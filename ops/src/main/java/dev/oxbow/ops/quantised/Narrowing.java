package dev.oxbow.ops.quantised;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;

/** Levels of one type as those of another, between other limits. */
final class Narrowing {
    private static final int POINT = 16;

    private Narrowing() {}

    /** From 32 bits to 8 without sign in whole numbers with 16 binary places, else in f32. */
    static void run(Tensor x, Levels from, Levels to, Tensor y) {
        if (from.type() == DType.QI32 && to.type() == DType.QU8) {
            fixed(x, from, to, y);
            return;
        }
        for (long i = 0; i < y.size(); i++) y.setLong(i, to.brieflyOf(from.briefly(x.getLong(i))));
    }

    private static void fixed(Tensor x, Levels from, Levels to, Tensor y) {
        float range = to.high() - to.low();
        float inverse = range == 0 ? 0 : (float) (255.0 / range);
        float middle = (float) ((from.low() + from.high()) / 2.0);
        long scale = range == 0 ? 0 : (long) (255.0 * (1 << POINT) * (from.high() - from.low()) / range);
        long offset = (long) (middle * inverse * (1 << POINT));
        long first = range == 0 ? 0 : (long) ((1 << POINT) * (to.low() * 255.0) / range);
        long moved = offset - first + (1 << POINT - 1);
        for (long i = 0; i < y.size(); i++)
            y.setLong(i, Math.clamp((x.getLong(i) * scale >> 32) + moved >> POINT, 0, 255));
    }

    /** The least and the greatest number that the levels in a tensor stand for. */
    static float[] range(Tensor x, Levels l) {
        long least = Levels.most(l.type()), most = Levels.least(l.type());
        for (long i = 0; i < x.size(); i++) {
            least = Math.min(least, x.getLong(i));
            most = Math.max(most, x.getLong(i));
        }
        return new float[] {Math.min(0, l.number(least)), l.number(most)};
    }
}
