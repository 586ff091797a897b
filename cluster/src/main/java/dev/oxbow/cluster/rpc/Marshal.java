package dev.oxbow.cluster.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Messages to and from the bytes of gRPC: one kind for those that go, one for those that come. */
final class Marshal {
    /** Nesting beyond that of any graph that TensorFlow writes. */
    private static final int DEEPEST = 100;

    /** What is copied at once on its way into a buffer of gRPC: it stays in the cache. */
    private static final int CHUNK = 1 << 16;

    /** From this length on a message may have tensors that are worth a way of their own. */
    private static final int LONG = 1 << 15;

    private static final Tensor[] NONE = {};

    private Marshal() {}

    /** For messages that are sent; {@code path} are the fields that lead to their tensors. */
    record Going<M extends MessageLite>(int[] path) implements MethodDescriptor.Marshaller<Sending<M>> {
        @Override
        public InputStream stream(Sending<M> s) {
            return s.tensors().isEmpty()
                    ? new Bytes(s.message(), null)
                    : new Bytes(s.message(), new Stuffing(s.message().toByteArray(), path, s.tensors()));
        }

        @Override
        public Sending<M> parse(InputStream in) {
            throw new IllegalStateException("such messages are sent, none comes");
        }
    }

    /** For messages that come; {@code path} are the fields that lead to their tensors, none where there are none. */
    record Coming<M extends MessageLite>(Class<M> type, Parser<? extends MessageLite> parser, int[] path)
            implements MethodDescriptor.Marshaller<Received<M>> {

        @SuppressWarnings("unchecked")
        static <M extends MessageLite> Coming<M> of(M example, int... path) {
            return new Coming<>((Class<M>) example.getClass(), example.getParserForType(), path);
        }

        @Override
        public InputStream stream(Received<M> message) {
            throw new IllegalStateException("such messages come, none is sent");
        }

        @Override
        public Received<M> parse(InputStream in) {
            try {
                int length = in.available();
                if (path.length == 0 || length < LONG)
                    return new Received<>(parsed(CodedInputStream.newInstance(in)), NONE);
                Skimmer skimmer = new Skimmer(in, length, path);
                byte[] rest = skimmer.skim();
                try {
                    return new Received<>(parsed(CodedInputStream.newInstance(rest)), skimmer.tensors());
                } catch (IOException e) {
                    for (Tensor t : skimmer.tensors()) t.release();
                    throw e;
                }
            } catch (OxbowException e) {
                return new Received<>(e.saying(type.getSimpleName() + ": " + e.text()));
            } catch (IOException e) {
                return new Received<>(new OxbowException(
                        ErrorCode.INVALID_ARGUMENT,
                        "%s: the bytes are no such message: %s".formatted(type.getSimpleName(), e.getMessage()),
                        e));
            }
        }

        private M parsed(CodedInputStream coded) throws IOException {
            coded.setSizeLimit(Integer.MAX_VALUE);
            coded.setRecursionLimit(DEEPEST);
            M message = type.cast(parser.parseFrom(coded));
            coded.checkLastTagWas(0);
            return message;
        }
    }

    /** A message as a stream that writes itself, with the contents of its tensors where they are not in it. */
    private static final class Bytes extends InputStream implements Drainable, KnownLength {
        private final MessageLite message;
        private final Stuffing stuffing;
        private final int size;
        private InputStream read;
        private boolean drained;

        Bytes(MessageLite message, Stuffing stuffing) {
            this.message = message;
            this.stuffing = stuffing;
            this.size = stuffing == null ? message.getSerializedSize() : stuffing.size();
        }

        @Override
        public int drainTo(OutputStream out) throws IOException {
            if (drained) return 0;
            drained = true;
            if (stuffing != null) stuffing.writeTo(out);
            else {
                CodedOutputStream coded = CodedOutputStream.newInstance(out, Math.min(CHUNK, Math.max(1, size)));
                message.writeTo(coded);
                coded.flush();
            }
            return size;
        }

        @Override
        public int read() throws IOException {
            return reading().read();
        }

        private InputStream reading() throws IOException {
            if (read == null) {
                ByteArrayOutputStream all = new ByteArrayOutputStream(size);
                if (stuffing != null) stuffing.copyTo(all);
                else message.writeTo(all);
                read = new ByteArrayInputStream(all.toByteArray());
            }
            return read;
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
            return reading().read(to, from, length);
        }

        @Override
        public int available() throws IOException {
            return drained ? 0 : read == null ? size : read.available();
        }
    }
}
