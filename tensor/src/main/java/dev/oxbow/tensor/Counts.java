package dev.oxbow.tensor;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;

import java.util.function.IntFunction;

/** Numbers of elements that must fit a Java array. */
public final class Counts {
    private Counts() {}

    /** {@code n} as an int; an error beyond that. */
    public static int toInt(long n) {
        if (n != (int) n) throw new OxbowException(INVALID_ARGUMENT, n + " is more than fits 31 bits");
        return (int) n;
    }

    /** An array of {@code n} objects; an error when {@code n} is negative or more than the heap has room for. */
    public static <T> T[] array(long n, IntFunction<T[]> make) {
        if (n < 0) throw new OxbowException(INVALID_ARGUMENT, "a number of elements must not be negative, got " + n);
        try {
            if (n <= Integer.MAX_VALUE) return make.apply((int) n);
        } catch (OutOfMemoryError _) {
            // one array more than the heap has room for, which hurts nobody else
        }
        throw new OxbowException(
                RESOURCE_EXHAUSTED, "%,d objects are more than the Java heap has room for".formatted(n));
    }
}
