package dev.oxbow.tensor;

import java.io.Serial;
import java.io.Serializable;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The one exception of Oxbow: a stable code, a text that names the rule and both values, and where it happened, as far as
 * that is known. Whoever knows more gives a copy of it more fields; the message is made of them when it is asked for.
 */
public final class OxbowException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private static final Place NOWHERE = new Place(null, null, null, null, null, -1);

    private record Place(String op, String node, String origin, String task, String peer, int rank)
            implements Serializable {}

    private final ErrorCode code;
    private final Place place;

    public OxbowException(ErrorCode code, String text) {
        this(code, text, null);
    }

    public OxbowException(ErrorCode code, String text, Throwable cause) {
        this(code, text, NOWHERE, cause);
    }

    private OxbowException(ErrorCode code, String text, Place place, Throwable cause) {
        super(text, cause);
        this.code = code;
        this.place = place;
    }

    public ErrorCode code() {
        return code;
    }

    /** What went wrong, without where. */
    public String text() {
        return super.getMessage();
    }

    /** The op that refused, or the function, as "function f"; null where none did. */
    public String op() {
        return place.op;
    }

    /** The name of the node; null where there is none. */
    public String node() {
        return place.node;
    }

    /** The line that made the node; null where it is not known. */
    public String origin() {
        return place.origin;
    }

    /** The task of the cluster, such as {@code /job:worker/task:1}; null where it is not known. */
    public String task() {
        return place.task;
    }

    /** Whose doing the text tells, such as {@code rank 3 at 10.0.0.7:4711}; null where the text is a sentence. */
    public String peer() {
        return place.peer;
    }

    /** The one rank of the job that is to blame, which the message names; -1 where there is none. */
    public int rank() {
        return place.rank;
    }

    @Override
    public String getMessage() {
        String where = Stream.of(phrase("node ", node()), phrase("made at ", origin()), phrase("in ", task()))
                .filter(Objects::nonNull)
                .collect(Collectors.joining(", "));
        String what = (op() == null ? "" : op() + ": ") + (peer() == null ? "" : peer() + " ") + text();
        return where.isEmpty() ? what : what + " (" + where + ")";
    }

    private static String phrase(String word, String what) {
        return what == null ? null : word + what;
    }

    /** This error, at a node of this op, each null if not known; an error that has a node already was nearer to the fault. */
    public OxbowException at(String op, String node, String origin) {
        if (place.node != null) return this;
        return copy(
                text(), new Place(place.op == null ? op : place.op, node, origin, place.task, place.peer, place.rank));
    }

    /** This error, in a task, unless it comes from another one. */
    public OxbowException in(String task) {
        if (place.task != null) return this;
        return copy(text(), new Place(place.op, place.node, place.origin, task, place.peer, place.rank));
    }

    /** This error, which is the doing of a peer. */
    public OxbowException of(String peer) {
        return copy(text(), new Place(place.op, place.node, place.origin, place.task, peer, place.rank));
    }

    /** This error, for which a rank is to blame; -1 for none. */
    public OxbowException by(int rank) {
        return copy(text(), new Place(place.op, place.node, place.origin, place.task, place.peer, rank));
    }

    /** This error in other words. */
    public OxbowException saying(String text) {
        return copy(text, place);
    }

    /** This error with the stack of the caller; this one is its cause. */
    public OxbowException rethrown() {
        return new OxbowException(code, text(), place, this);
    }

    private OxbowException copy(String text, Place place) {
        var copy = new OxbowException(code, text, place, getCause());
        copy.setStackTrace(getStackTrace());
        for (Throwable s : getSuppressed()) copy.addSuppressed(s);
        return copy;
    }

    /** Throws with {@code code} unless {@code condition} holds; the text is formatted only then. */
    public static void require(boolean condition, ErrorCode code, String format, Object... arguments) {
        if (!condition) throw new OxbowException(code, format.formatted(arguments));
    }
}
