package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.CodedOutputStream;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.GraphDef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Binary graphs from untrusted bytes; every fault is an OxbowException. */
public final class GraphParser {
    /** The largest graph that is parsed: protobuf's own limit. */
    public static final long DEFAULT_MAX_BYTES = Integer.MAX_VALUE;

    private GraphParser() {}

    /** The graph in {@code bytes}, which must not change afterwards: tensor contents are views of them. */
    public static GraphDef parse(byte[] bytes) {
        return parse(bytes, DEFAULT_MAX_BYTES);
    }

    /** As {@link #parse(byte[])}, refusing more than {@code maxBytes}. */
    public static GraphDef parse(byte[] bytes, long maxBytes) {
        checkSize(bytes.length, maxBytes);
        return Messages.parse(GraphDef.parser(), ByteBuffer.wrap(bytes), "GraphDef");
    }

    /** The graph in a binary file. */
    public static GraphDef read(Path file) {
        try {
            checkSize(Files.size(file), DEFAULT_MAX_BYTES);
            return parse(Files.readAllBytes(file));
        } catch (IOException e) {
            throw Messages.failed("GraphDef", file, e);
        }
    }

    /** The bytes of a graph, the same ones for equal graphs: map entries are sorted. */
    public static byte[] serialise(GraphDef graph) {
        byte[] bytes = new byte[graph.getSerializedSize()];
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.useDeterministicSerialization();
        try {
            graph.writeTo(out);
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new OxbowException(ErrorCode.INTERNAL, "GraphDef: writing failed: " + e.getMessage(), e);
        }
        return bytes;
    }

    private static void checkSize(long size, long maxBytes) {
        require(size <= maxBytes, INVALID_ARGUMENT, "GraphDef: at most %d bytes are read, got %d", maxBytes, size);
    }
}
