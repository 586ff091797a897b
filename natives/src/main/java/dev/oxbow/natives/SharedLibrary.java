package dev.oxbow.natives;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/** A shared library from a platform jar, loaded for the life of the process. */
final class SharedLibrary {
    private static final Linker LINKER = Linker.nativeLinker();

    private final String name;
    private final SymbolLookup symbols;

    private SharedLibrary(String name, SymbolLookup symbols) {
        this.name = name;
        this.symbols = symbols;
    }

    /** Loads the files of an artifact whose names start with {@code prefixes}, in that order; the last is the library. */
    @SuppressWarnings("restricted")
    static SharedLibrary load(String artifact, List<String> prefixes) {
        String version = version(artifact), platform = Platform.classifier();
        Path jar = PlatformJar.find(artifact, version, platform)
                .orElseThrow(() -> new UnsatisfiedLinkError(
                        "%s-%s-%s.jar is not on the module or class path".formatted(artifact, version, platform)));
        try {
            SymbolLookup last = null;
            for (Path file : new LibraryCache(LibraryCache.userFolder())
                    .files(jar, "org/bytedeco/" + artifact + "/" + platform + "/", artifact + "-" + version, prefixes))
                last = SymbolLookup.libraryLookup(file, Arena.global());
            return new SharedLibrary(artifact, last);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The version that this module was built with. */
    static String version(String artifact) {
        try (InputStream in = SharedLibrary.class.getResourceAsStream("versions.properties")) {
            Properties versions = new Properties();
            versions.load(in);
            return versions.getProperty(artifact);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("restricted")
    MethodHandle function(String function, FunctionDescriptor type) {
        MemorySegment address =
                symbols.find(function).orElseThrow(() -> new UnsatisfiedLinkError(name + " has no " + function));
        return LINKER.downcallHandle(address, type);
    }

    @SuppressWarnings("restricted")
    static MemorySegment pointee(MemorySegment pointer, long bytes) {
        return pointer.reinterpret(bytes);
    }

    static void check(String function, int status) {
        if (status != 0) throw new OxbowException(ErrorCode.INTERNAL, function + ": failed with status " + status);
    }

    /** What a method handle throws: errors as they are; nothing checked can come out of a native call. */
    static RuntimeException unexpected(Throwable e) {
        switch (e) {
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new IllegalStateException(e);
        }
    }
}
