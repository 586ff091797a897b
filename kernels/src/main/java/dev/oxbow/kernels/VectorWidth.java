package dev.oxbow.kernels;

import jdk.incubator.vector.VectorShape;

/** How much fits into a vector of this machine, told without the Vector API. */
public final class VectorWidth {
    private static final int NOTHING_IS_SO_LONG = 1 << 30;

    /** Bytes of the preferred vector, a power of two; where vectors are not used, more than any row has. */
    public static final int BYTES = KernelLevel.current().usesVectors() ? Preferred.bytes() : NOTHING_IS_SO_LONG;

    private VectorWidth() {}

    /** Linked only where the Vector API is. */
    private static final class Preferred {
        static int bytes() {
            return VectorShape.preferredShape().vectorBitSize() / Byte.SIZE;
        }
    }
}
