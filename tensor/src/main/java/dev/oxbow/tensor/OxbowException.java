package dev.oxbow.tensor;

import java.io.Serial;

/** The one exception of Oxbow: a stable code and a message that names the component, the rule and both values. */
public final class OxbowException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    public OxbowException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    public OxbowException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public ErrorCode code() {
        return code;
    }

    /** Throws with {@code code} unless {@code condition} holds; the message is formatted only then. */
    public static void require(boolean condition, ErrorCode code, String format, Object... arguments) {
        if (!condition) throw new OxbowException(code, format.formatted(arguments));
    }
}
