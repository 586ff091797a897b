package dev.oxbow.tensor;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;

import java.util.function.IntFunction;

/** Numbers of elements: sums and products that must not overflow, and sizes of Java arrays. */
public final class Counts {
    private static final long HALF_OF_HEAP = Runtime.getRuntime().maxMemory() / 2;

    private Counts() {}

    /** {@code n} as an int; an error beyond that. */
    public static int toInt(long n) {
        if (n != (int) n) throw new OxbowException(INVALID_ARGUMENT, n + " is more than fits 31 bits");
        return (int) n;
    }

    /** {@code a + b}, two dimensions; not known where either is not, and an error beyond 2^63. */
    public static long plus(long a, long b) {
        if (a < 0 || b < 0) return Shape.UNKNOWN_DIM;
        if (a + b < 0) throw new OxbowException(INVALID_ARGUMENT, a + " + " + b + " is more than fits 63 bits");
        return a + b;
    }

    /** {@code a * b}, two dimensions; not known where either is not, and an error beyond 2^63. */
    public static long times(long a, long b) {
        if (a < 0 || b < 0) return Shape.UNKNOWN_DIM;
        if (Math.multiplyHigh(a, b) != 0 || a * b < 0)
            throw new OxbowException(INVALID_ARGUMENT, a + " * " + b + " is more than fits 63 bits");
        return a * b;
    }

    /** An array of {@code n} elements; an error when {@code n} is negative or more than the heap has room for. */
    public static <T> T array(long n, IntFunction<T> make) {
        if (n < 0) throw new OxbowException(INVALID_ARGUMENT, "a number of elements must not be negative, got " + n);
        try {
            if (n <= Integer.MAX_VALUE) return make.apply((int) n);
        } catch (OutOfMemoryError _) {
            // one array more than the heap has room for, which hurts nobody else
        }
        throw new OxbowException(
                RESOURCE_EXHAUSTED, "an array of %,d elements is more than the Java heap has room for".formatted(n));
    }

    /** {@code n} as an int, where so many objects of about {@code bytes} take no more than half of the heap; an error beyond. */
    public static int objects(long n, int bytes) {
        if (n > Math.min(Integer.MAX_VALUE, HALF_OF_HEAP / bytes))
            throw new OxbowException(
                    RESOURCE_EXHAUSTED, "%,d objects are more than the Java heap has room for".formatted(n));
        return (int) n;
    }
}
