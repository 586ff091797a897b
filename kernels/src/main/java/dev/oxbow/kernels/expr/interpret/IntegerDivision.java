package dev.oxbow.kernels.expr.interpret;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;

/** Integer operations that some arguments make impossible, with TensorFlow's errors. */
final class IntegerDivision {
    private IntegerDivision() {}

    static int divisor(int y) {
        if (y == 0) throw byZero();
        return y;
    }

    static long divisor(long y) {
        if (y == 0) throw byZero();
        return y;
    }

    private static OxbowException byZero() {
        return new OxbowException(INVALID_ARGUMENT, "Integer division by zero");
    }

    /** {@code x^y} by squaring, wrapped to 64 bits, of which narrower types take the low ones. */
    static long power(long x, long y) {
        if (y < 0) {
            throw new OxbowException(INVALID_ARGUMENT, "Integers to negative integer powers are not allowed");
        }
        long r = 1;
        for (long b = x, e = y; e > 0; e >>= 1, b *= b) if ((e & 1) != 0) r *= b;
        return r;
    }
}
