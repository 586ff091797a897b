package dev.oxbow.wire.trace;

import java.util.List;

/**
 * Something that a step did on a device. Times are nanoseconds since 1970 on one clock.
 *
 * @param thread the number of the thread that ended it
 * @param nodes the node, or all that one kernel or chain did
 * @param ops of these nodes, as far as they are known
 * @param ready since when it could have run and stood in line
 * @param key of a transfer: what its send and its receive share; else empty
 * @param bytes of a transfer
 */
public record Span(
        Kind kind,
        String device,
        long thread,
        List<String> nodes,
        List<String> ops,
        long ready,
        long from,
        long to,
        String key,
        long bytes) {

    /** What is done. */
    public enum Kind {
        /** Nodes run. */
        RUN,
        /** A value is handed out; takes no time. */
        SEND,
        /** A value of another device is waited for, until it is there. */
        RECEIVE
    }

    /** What nodes are called that stand for transfers. */
    public static final String SEND = "SendTensor";

    public static final String RECEIVE = "RecvTensor";

    public long length() {
        return to - from;
    }

    /** The device at the other end of a transfer; empty where it is none. */
    public String peer() {
        String[] parts = key.split(";", -1);
        if (parts.length != 5) return "";
        return kind == Kind.SEND ? parts[2] : parts[0];
    }

    /** The name of the value of a transfer. */
    public String tensor() {
        String[] parts = key.split(";", -1);
        return parts.length == 5 ? parts[3] : key;
    }
}
