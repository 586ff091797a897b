package dev.oxbow.runtime.run;

import dev.oxbow.graph.Node;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;

/** Errors of anything that kernels throw, with the node and the line that made it. */
final class Failures {
    private Failures() {}

    static OxbowException at(Node n, Throwable e) {
        return n.located(of(e));
    }

    /** Anything thrown, as an error with a code. */
    static OxbowException of(Throwable e) {
        return switch (e) {
            case OxbowException o -> o;
            case OutOfMemoryError o -> new OxbowException(ErrorCode.RESOURCE_EXHAUSTED, o.getMessage(), o);
            default -> new OxbowException(ErrorCode.INTERNAL, String.valueOf(e), e);
        };
    }
}
