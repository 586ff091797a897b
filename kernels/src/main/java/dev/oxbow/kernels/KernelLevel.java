package dev.oxbow.kernels;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;

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
    private static final String WISH = System.getProperty(PROPERTY, "").strip();
    private static final KernelLevel CURRENT = chosen();

    static {
        if (CURRENT != null && !WISH.equalsIgnoreCase(SCALAR.name())) warn();
    }

    /** The level of this process; fails when the one that is wished for does not exist. */
    public static KernelLevel current() {
        if (CURRENT == null)
            throw new OxbowException(
                    INVALID_ARGUMENT, "-D" + PROPERTY + " must be native, vector or scalar, got '" + WISH + "'");
        return CURRENT;
    }

    /** Whether this level may use the Vector API, and it is there. */
    public boolean usesVectors() {
        return this != SCALAR && HAS_VECTORS;
    }

    /** The level of this process in words, with the native libraries and their versions; loads them. */
    public static String describe() {
        String name = current().name().toLowerCase(Locale.ROOT);
        if (CURRENT == NATIVE)
            name += NativeLibrary.installed()
                    .map(l -> " (" + l.description() + ")")
                    .orElse(" (no library)");
        return CURRENT == SCALAR || HAS_VECTORS ? name : name + ", without the Vector API";
    }

    private static KernelLevel chosen() {
        if (WISH.isEmpty()) return NativeLibrary.installed().isPresent() ? NATIVE : HAS_VECTORS ? VECTOR : SCALAR;
        for (KernelLevel level : values()) if (level.name().equals(WISH.toUpperCase(Locale.ROOT))) return level;
        return null;
    }

    /** Says once what this process has to do without, and which flag would help. */
    private static void warn() {
        Module module = KernelLevel.class.getModule();
        String whom = module.isNamed() ? "dev.oxbow.tensor,dev.oxbow.natives,dev.oxbow.net" : "ALL-UNNAMED";
        String vectors = HAS_VECTORS
                ? ""
                : "the Vector API is not there, so kernels compute one element at a time, many times slower: add"
                        + " --add-modules jdk.incubator.vector";
        String natives = Memory.isNative()
                ? ""
                : "native access is denied, so there are no native kernels, no huge pages and no shared memory between"
                        + " processes: add --enable-native-access=" + whom;
        if (vectors.isEmpty() && natives.isEmpty()) return;
        String lost = vectors + (vectors.isEmpty() || natives.isEmpty() ? "" : "; ") + natives;
        Logger log = LoggerFactory.getLogger(KernelLevel.class);
        if (log instanceof NOPLogger) System.err.println("oxbow: " + lost); // nobody logs, and this is said once
        else log.warn("{}", lost);
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
