package dev.oxbow.runtime;

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

    private static String withoutOp(Node n, String message) {
        String prefix = n.op().signature().name() + ": ";
        return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
    }
}
