package dev.oxbow.runtime.run;

import dev.oxbow.graph.Node;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;

/** Names the node, and the line that made it, in what its kernel threw. */
final class Failures {
    private Failures() {}

    static OxbowException at(Node n, Throwable e) {
        String where = " (node " + n.name() + (n.origin() == null ? "" : ", made at " + n.origin()) + ")";
        return switch (e) {
            case OxbowException o when o.getMessage().contains("(node ") -> o;
            case OxbowException o ->
                new OxbowException(
                        o.code(), n.op().signature().name() + ": " + withoutOp(n, o.getMessage()) + where, o);
            case OutOfMemoryError o ->
                new OxbowException(
                        ErrorCode.RESOURCE_EXHAUSTED, n.op().signature().name() + ": " + o.getMessage() + where, o);
            default -> new OxbowException(ErrorCode.INTERNAL, n.op().signature().name() + ": " + e + where, e);
        };
    }

    /** Why a step ends before this node: the reason, and where it was. */
    static OxbowException stopped(Node n, Iteration it, OxbowException reason) {
        if (reason.getMessage().contains("(node ")) return reason; // what failed elsewhere in the run
        StringBuilder where = new StringBuilder(reason.getMessage());
        if (it.frame.parent != null)
            where.append(", in iteration %d of loop '%s'".formatted(it.number, it.program.name()));
        Calls.Depth depth = it.frame.step.scope.depth();
        if (depth.calls() > 0)
            where.append(", in function %s, %d calls deep".formatted(depth.function(), depth.calls()));
        return at(n, new OxbowException(reason.code(), where.toString(), reason));
    }

    /** Anything thrown, as an error with a code. */
    static OxbowException of(Throwable e) {
        return switch (e) {
            case OxbowException o -> o;
            case OutOfMemoryError o -> new OxbowException(ErrorCode.RESOURCE_EXHAUSTED, String.valueOf(o), o);
            default -> new OxbowException(ErrorCode.INTERNAL, String.valueOf(e), e);
        };
    }

    private static String withoutOp(Node n, String message) {
        String prefix = n.op().signature().name() + ": ";
        return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
    }
}
