package dev.oxbow.testing.cuda;

import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.Half;
import java.util.Random;

/** Values to try formulas with: the special ones first, in many pairs, then random ones. */
final class CudaValues {
    private static final double[] FLOATS = {
        0,
        -0.0,
        1,
        -1,
        0.5,
        -0.5,
        2,
        1.5,
        -2.5,
        1e-40,
        -1e-40,
        1e-310,
        Double.MIN_VALUE,
        Float.MIN_VALUE,
        Float.MIN_NORMAL,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
        1e300,
        65504,
        65520,
        1e-8,
        3.3e38,
        2147483648.0,
        -2147483649.0,
        9.3e18,
        -9.3e18,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        Double.NaN,
        88.8,
        -104,
        709.9
    };
    private static final long[] WHOLE = {
        0,
        1,
        -1,
        2,
        -2,
        3,
        7,
        31,
        32,
        33,
        63,
        64,
        65,
        100,
        -100,
        127,
        -128,
        255,
        32767,
        -32768,
        65535,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        1L << 53,
        (1L << 53) + 1,
        -(1L << 53) - 1,
        1L << 24,
        (1L << 24) + 1
    };

    private CudaValues() {}

    /** The bits of case {@code i} of a load, one that its dtype can hold. */
    static long of(Program.Load l, Random random, int input, int i) {
        int special = input == 0 ? i : i * (2 * input + 5) + input;
        boolean pick = i < 160;
        return switch (l.kind()) {
            case F32 -> Float.floatToRawIntBits(held(l, (float) floating(random, pick, special)));
            case F64 -> Double.doubleToRawLongBits(floating(random, pick, special));
            case BOOL -> random.nextInt(2);
            case I32 -> narrowed(l, (int) whole(random, pick, special));
            case I64 -> whole(random, pick, special);
        };
    }

    private static double floating(Random random, boolean pick, int special) {
        if (pick) return FLOATS[Math.floorMod(special, FLOATS.length)];
        return random.nextGaussian() * Math.pow(10, random.nextInt(9) - 4);
    }

    private static long whole(Random random, boolean pick, int special) {
        if (pick) return WHOLE[Math.floorMod(special, WHOLE.length)];
        return random.nextBoolean() ? random.nextLong() : random.nextInt(2000) - 1000;
    }

    private static float held(Program.Load l, float f) {
        return switch (l.dtype()) {
            case F16 -> Half.fromF16(Half.toF16(f));
            case BF16 -> Half.fromBf16(Half.toBf16(f));
            default -> f;
        };
    }

    private static int narrowed(Program.Load l, int v) {
        return switch (l.dtype().storage()) {
            case I8 -> (byte) v;
            case U8 -> v & 0xff;
            case I16 -> (short) v;
            case U16 -> v & 0xffff;
            default -> v;
        };
    }

    static CudaLines.Value value(Kind kind, long bits) {
        return switch (kind) {
            case I32, BOOL -> CudaLines.Value.of((int) bits);
            case I64 -> CudaLines.Value.of(bits);
            case F32 -> new CudaLines.Value(CudaLines.Type.FLOAT, (int) bits);
            case F64 -> new CudaLines.Value(CudaLines.Type.DOUBLE, bits);
        };
    }

    static boolean areBothNan(Kind kind, long a, long b) {
        return switch (kind) {
            case F32 -> Float.isNaN(Float.intBitsToFloat((int) a)) && Float.isNaN(Float.intBitsToFloat((int) b));
            case F64 -> Double.isNaN(Double.longBitsToDouble(a)) && Double.isNaN(Double.longBitsToDouble(b));
            default -> false;
        };
    }
}
