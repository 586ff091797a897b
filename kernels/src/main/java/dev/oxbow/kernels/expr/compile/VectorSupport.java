package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.KernelLevel;

/** Whether the incubating Vector API may be used: it is there, and the level of this process allows it. */
final class VectorSupport {
    static final boolean AVAILABLE = KernelLevel.current().usesVectors() && isPresent();

    private VectorSupport() {}

    private static boolean isPresent() {
        try {
            // 64-bit vectors would leave no smaller shape for 32-bit lanes beside 64-bit ones.
            return Lanes.I64.length() >= 2;
        } catch (LinkageError e) {
            return false;
        }
    }
}
