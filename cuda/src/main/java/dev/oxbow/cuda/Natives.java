package dev.oxbow.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/** How functions of libraries are bound; most give an int that is 0 when all went well. */
final class Natives {
    private static final Linker LINKER = Linker.nativeLinker();

    private Natives() {}

    /** A function of a library that was found. Pointers are longs, so that calls make no objects. */
    static MethodHandle function(Libraries.Name library, String name, MemoryLayout... parameters) {
        return function(library, name, FunctionDescriptor.of(JAVA_INT, parameters));
    }

    /** One that gives something else. */
    @SuppressWarnings("restricted")
    static MethodHandle function(Libraries.Name library, String name, FunctionDescriptor descriptor) {
        Libraries.Found found = Libraries.find(library);
        if (!found.isThere()) throw new OxbowException(ErrorCode.UNAVAILABLE, "CUDA: " + found.missing());
        SymbolLookup symbols = found.symbols();
        MemorySegment address = symbols.find(name)
                .orElseThrow(() -> new OxbowException(
                        ErrorCode.UNAVAILABLE, "CUDA: %s has no %s: it is too old".formatted(found.where(), name)));
        return LINKER.downcallHandle(address, descriptor);
    }

    /** A function that older libraries do not have; null there. */
    @SuppressWarnings("restricted")
    static MethodHandle newer(Libraries.Name library, String name, MemoryLayout... parameters) {
        return Libraries.find(library)
                .symbols()
                .find(name)
                .map(a -> LINKER.downcallHandle(a, FunctionDescriptor.of(JAVA_INT, parameters)))
                .orElse(null);
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
