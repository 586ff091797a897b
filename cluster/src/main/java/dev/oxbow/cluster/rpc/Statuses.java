package dev.oxbow.cluster.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.ErrorPlace;
import io.grpc.Metadata;
import io.grpc.Status;

/** Errors to and from the statuses and texts of TensorFlow. */
public final class Statuses {
    /** Where an error happened, for clients and masters of ours. */
    private static final Metadata.Key<byte[]> PLACE =
            Metadata.Key.of("oxbow-error-bin", Metadata.BINARY_BYTE_MARSHALLER);

    /** What a status can carry: headers have little room. */
    private static final int LONGEST = 1_500;

    private static final ErrorCode[] CODES = new ErrorCode[17];

    static {
        for (ErrorCode c : ErrorCode.values()) CODES[c.number()] = c;
    }

    private Statuses() {}

    /** TensorFlow's text of an error: clients find the node by the form of the last line. */
    public static String text(OxbowException e) {
        StringBuilder s = new StringBuilder();
        if (e.task() != null) s.append("From ").append(e.task()).append(":\n");
        s.append(words(e));
        if (e.node() != null) s.append("\n\t [[{{node ").append(e.node()).append("}}]]");
        return s.toString();
    }

    /** What went wrong, and for whom. */
    private static String words(OxbowException e) {
        return (e.op() == null ? "" : e.op() + ": ") + (e.peer() == null ? "" : e.peer() + " ") + e.text();
    }

    public static ErrorPlace place(OxbowException e) {
        ErrorPlace.Builder p = ErrorPlace.newBuilder().setText((e.peer() == null ? "" : e.peer() + " ") + e.text());
        if (e.op() != null) p.setOp(e.op());
        if (e.node() != null) p.setNode(e.node());
        if (e.origin() != null) p.setOrigin(e.origin());
        if (e.task() != null) p.setTask(e.task());
        return p.build();
    }

    /** The error that an answer tells of in its body; the place is empty where TensorFlow wrote it. */
    public static OxbowException error(int code, String text, ErrorPlace place) {
        ErrorCode known = code > 0 && code < CODES.length ? CODES[code] : ErrorCode.UNKNOWN;
        if (place.getText().isEmpty()) return new OxbowException(known, text);
        OxbowException e = new OxbowException(known, place.getText());
        e = e.at(
                place.getOp().isEmpty() ? null : place.getOp(),
                place.getNode().isEmpty() ? null : place.getNode(),
                place.getOrigin().isEmpty() ? null : place.getOrigin());
        return place.getTask().isEmpty() ? e : e.in(place.getTask());
    }

    static Status status(OxbowException e) {
        return Status.fromCodeValue(e.code().number()).withDescription(cut(text(e)));
    }

    static Metadata trailers(OxbowException e) {
        Metadata m = new Metadata();
        ErrorPlace p = place(e);
        if (p.getSerializedSize() <= LONGEST) m.put(PLACE, p.toByteArray());
        return m;
    }

    /** Whether a server of ours has said these itself. */
    static boolean isOurs(Metadata trailers) {
        return trailers != null && trailers.containsKey(PLACE);
    }

    static OxbowException error(Status status, Metadata trailers) {
        String text = status.getDescription() != null
                ? status.getDescription()
                : status.getCause() != null
                        ? status.getCause().toString()
                        : status.getCode().toString();
        byte[] place = trailers == null ? null : trailers.get(PLACE);
        try {
            return error(
                    status.getCode().value(),
                    text,
                    place == null ? ErrorPlace.getDefaultInstance() : ErrorPlace.parseFrom(place));
        } catch (InvalidProtocolBufferException e) {
            return error(status.getCode().value(), text, ErrorPlace.getDefaultInstance());
        }
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + " ...";
    }

    /** Anything thrown, as an error with a code. */
    public static OxbowException of(Throwable e) {
        return switch (e) {
            case OxbowException o -> o;
            case OutOfMemoryError o -> new OxbowException(ErrorCode.RESOURCE_EXHAUSTED, o.getMessage(), o);
            default -> new OxbowException(ErrorCode.INTERNAL, String.valueOf(e), e);
        };
    }
}
