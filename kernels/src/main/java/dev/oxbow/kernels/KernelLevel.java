package dev.oxbow.kernels;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;
import java.util.Locale;

/**
 * Which kernels may run: {@code -Doxbow.kernels=native|vector|scalar}, else the best that is installed. A level falls
 * back to the next one for what it does not have.
 */
public enum KernelLevel {
    /** Products and convolutions of a {@link NativeLibrary}, vectors for the rest. */
    NATIVE,
    /** The Vector API, no native library. */
    VECTOR,
    /** Plain Java, one element at a time. */
    SCALAR;

    private static final String PROPERTY = "oxbow.kernels";
    private static final boolean HAS_VECTORS = hasVectorApi();
    private static final KernelLevel CURRENT = chosen();

    /** The level of this process. */
    public static KernelLevel current() {
        return CURRENT;
    }

    /** Whether this level may use the Vector API, and it is there. */
    public boolean usesVectors() {
        return this != SCALAR && HAS_VECTORS;
    }

    /** The level of this process in words, with the native libraries and their versions; loads them. */
    public static String describe() {
        String name = CURRENT.name().toLowerCase(Locale.ROOT);
        return CURRENT == NATIVE
                ? name
                        + NativeLibrary.installed()
                                .map(l -> " (" + l.description() + ")")
                                .orElse(" (no library)")
                : name;
    }

    private static KernelLevel chosen() {
        String wish = System.getProperty(PROPERTY, "").strip();
        if (wish.isEmpty()) return NativeLibrary.installed().isPresent() ? NATIVE : HAS_VECTORS ? VECTOR : SCALAR;
        for (KernelLevel level : values()) if (level.name().equals(wish.toUpperCase(Locale.ROOT))) return level;
        throw new OxbowException(
                INVALID_ARGUMENT, "-D" + PROPERTY + " must be native, vector or scalar, got '" + wish + "'");
    }

    private static boolean hasVectorApi() {
        try {
            return Class.forName("jdk.incubator.vector.VectorSpecies", false, KernelLevel.class.getClassLoader())
                    != null;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}
