package dev.oxbow.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Parsing that reports failures with Oxbow's codes. */
final class Messages {
    /** Beyond TensorFlow's deepest attributes, and shallow enough for any thread's stack. */
    private static final int MAX_DEPTH = 100;

    private Messages() {}

    /** Parses without copying byte fields: they are views of {@code bytes}, which must not change afterwards. */
    static <T> T parse(Parser<T> parser, ByteBuffer bytes, String what) {
        int size = bytes.remaining();
        CodedInputStream in = UnsafeByteOperations.unsafeWrap(bytes).newCodedInput();
        in.enableAliasing(true);
        in.setRecursionLimit(MAX_DEPTH);
        try {
            T message = parser.parseFrom(in);
            in.checkLastTagWas(0);
            return message;
        } catch (InvalidProtocolBufferException e) {
            throw malformed(e, size, what);
        }
    }

    private static OxbowException malformed(InvalidProtocolBufferException e, int size, String what) {
        // The library has one exception type for all faults and tells them apart by message only.
        boolean truncated = String.valueOf(e.getMessage()).contains("ended unexpectedly");
        String rule = truncated
                ? "the bytes end in the middle of a field (truncated?)"
                : "not a valid protobuf message (" + e.getMessage() + ")";
        ErrorCode code = truncated ? ErrorCode.DATA_LOSS : ErrorCode.INVALID_ARGUMENT;
        return new OxbowException(code, "%s: %s, in %d bytes".formatted(what, rule, size), e);
    }

    /** What a failed file operation means: NOT_FOUND, PERMISSION_DENIED or FAILED_PRECONDITION. */
    static OxbowException failed(String what, Path file, IOException e) {
        return switch (e) {
            case NoSuchFileException _ ->
                new OxbowException(ErrorCode.NOT_FOUND, what + ": there is no file " + file, e);
            case AccessDeniedException _ ->
                new OxbowException(ErrorCode.PERMISSION_DENIED, what + ": access to " + file + " was denied", e);
            default ->
                new OxbowException(ErrorCode.FAILED_PRECONDITION, what + ": cannot access " + file + ": " + e, e);
        };
    }
}
