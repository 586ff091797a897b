package dev.oxbow.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/** The environment that native code sees, which Java's own copy does not change. */
final class Environment {
    private Environment() {}

    /** Runs {@code action} with a variable set, unless the user has set it or the platform has no {@code setenv}. */
    @SuppressWarnings("restricted")
    static <T> T with(String name, String value, Supplier<T> action) {
        Linker linker = Linker.nativeLinker();
        var set = linker.defaultLookup().find("setenv");
        var unset = linker.defaultLookup().find("unsetenv");
        if (System.getenv(name) != null || set.isEmpty() || unset.isEmpty()) return action.get();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment variable = arena.allocateFrom(name), text = arena.allocateFrom(value);
            int status =
                    (int) linker.downcallHandle(set.get(), FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT))
                            .invokeExact(variable, text, 1);
            try {
                return action.get();
            } finally {
                if (status == 0) {
                    int _ = (int) linker.downcallHandle(unset.get(), FunctionDescriptor.of(JAVA_INT, ADDRESS))
                            .invokeExact(variable);
                }
            }
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }
}
