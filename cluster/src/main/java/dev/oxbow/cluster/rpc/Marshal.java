package dev.oxbow.cluster.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Messages to and from the bytes of gRPC. */
final class Marshal<M extends MessageLite> implements MethodDescriptor.Marshaller<M> {
    /** Nesting beyond that of any graph that TensorFlow writes. */
    private static final int DEEPEST = 100;

    /** What is copied at once on its way into a buffer of gRPC: it stays in the cache. */
    private static final int CHUNK = 1 << 16;

    private final Parser<? extends MessageLite> parser;
    private final Class<M> type;

    @SuppressWarnings("unchecked")
    Marshal(M example) {
        this.parser = example.getParserForType();
        this.type = (Class<M>) example.getClass();
    }

    @Override
    public InputStream stream(M message) {
        return new Bytes(message);
    }

    @Override
    public M parse(InputStream in) {
        try {
            CodedInputStream coded = CodedInputStream.newInstance(in);
            coded.setSizeLimit(Integer.MAX_VALUE);
            coded.setRecursionLimit(DEEPEST);
            M message = type.cast(parser.parseFrom(coded));
            coded.checkLastTagWas(0);
            return message;
        } catch (IOException e) {
            throw Status.INVALID_ARGUMENT
                    .withDescription(
                            "%s: the bytes are no such message: %s".formatted(type.getSimpleName(), e.getMessage()))
                    .withCause(e)
                    .asRuntimeException();
        }
    }

    /** A message as a stream that writes itself. */
    private static final class Bytes extends InputStream implements Drainable, KnownLength {
        private final MessageLite message;
        private final int size;
        private InputStream read;
        private boolean drained;

        Bytes(MessageLite message) {
            this.message = message;
            this.size = message.getSerializedSize();
        }

        @Override
        public int drainTo(OutputStream out) throws IOException {
            if (drained) return 0;
            drained = true;
            CodedOutputStream coded = CodedOutputStream.newInstance(out, Math.min(CHUNK, Math.max(1, size)));
            message.writeTo(coded);
            coded.flush();
            return size;
        }

        @Override
        public int read() throws IOException {
            if (read == null) read = new ByteArrayInputStream(message.toByteArray());
            return read.read();
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
            if (read == null) read = new ByteArrayInputStream(message.toByteArray());
            return read.read(to, from, length);
        }

        @Override
        public int available() throws IOException {
            return drained ? 0 : read == null ? size : read.available();
        }
    }
}
