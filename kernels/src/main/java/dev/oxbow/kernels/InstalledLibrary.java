package dev.oxbow.kernels;

import dev.oxbow.tensor.Memory;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The first native library that ServiceLoader finds, looked for once. */
final class InstalledLibrary {
    static final Optional<NativeLibrary> FOUND = find();

    private InstalledLibrary() {}

    private static Optional<NativeLibrary> find() {
        if (!Memory.isNative()) return Optional.empty();
        try {
            return ServiceLoader.load(NativeLibrary.class, NativeLibrary.class.getClassLoader())
                    .findFirst();
        } catch (ServiceConfigurationError e) {
            return Optional.empty();
        }
    }
}
