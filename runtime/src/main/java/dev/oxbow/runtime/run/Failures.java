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

    /** Why a step ends before this node: the reason, and where it was. */
    static OxbowException stopped(Node n, Iteration it, OxbowException reason) {
        if (reason.node() != null) return reason; // what failed elsewhere in the run
        StringBuilder where = new StringBuilder(reason.text());
        if (it.frame.parent != null)
            where.append(", in iteration %d of loop '%s'".formatted(it.number, it.program.name()));
        Calls.Depth depth = it.frame.step.scope.depth();
        if (depth.calls() > 0)
            where.append(", in function %s, %d calls deep".formatted(depth.function(), depth.calls()));
        return at(n, reason.saying(where.toString()));
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
