package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;

/** Elements of any real dtype as longs. */
final class Keys {
    private Keys() {}

    /** A long that orders like element i; both zeros are equal and NaN is the largest. */
    static long ordered(Tensor x, long i) {
        if (!x.dtype().isFloating()) {
            return x.dtype() == DType.U64 ? x.getLong(i) ^ Long.MIN_VALUE : x.getLong(i);
        }
        double d = x.getDouble(i);
        long bits = Double.doubleToLongBits(d == 0 ? 0 : d);
        return bits ^ (bits >> 63 & Long.MAX_VALUE);
    }

    /** Whether element i is a NaN, which equals nothing. */
    static boolean isNaN(Tensor x, long i) {
        return x.dtype().isFloating() && Double.isNaN(x.getDouble(i));
    }
}
