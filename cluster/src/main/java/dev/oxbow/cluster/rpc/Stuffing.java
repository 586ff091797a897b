package dev.oxbow.cluster.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.TensorProto;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts the contents of large tensors into the bytes of a message on its way out, where {@link Cargo} left numbers for them: what
 * {@link Skimmer} does, backwards. A content goes straight from the tensor's memory to the buffers of the
 * connection, see {@link Passage}.
 */
final class Stuffing {
    private static final int CHUNK = 1 << 16;
    private static final int VERSION_NUMBER = TensorProto.VERSION_NUMBER_FIELD_NUMBER;
    private static final int CONTENT = TensorProto.TENSOR_CONTENT_FIELD_NUMBER;

    private final int[] path;
    private final List<Tensor> tensors;
    private final Piece all;

    /** The fields of {@code path} lead from the message to its tensors. */
    Stuffing(byte[] message, int[] path, List<Tensor> tensors) {
        this.path = path;
        this.tensors = tensors;
        try {
            this.all = message(CodedInputStream.newInstance(message), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bytes of one message so far, and the tensors between them. */
    private static final class Piece {
        final List<Object> parts = new ArrayList<>();
        long size;
        private ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        private CodedOutputStream out = CodedOutputStream.newInstance(bytes, 256);

        private void cut() throws IOException {
            out.flush();
            if (bytes.size() == 0) return;
            parts.add(bytes.toByteArray());
            size += bytes.size();
            bytes.reset();
        }

        void add(Tensor t) throws IOException {
            cut();
            parts.add(t);
            size += t.byteSize();
        }

        void add(Piece inner) throws IOException {
            cut();
            parts.addAll(inner.parts);
            size += inner.size;
        }
    }

    private Piece message(CodedInputStream in, int depth) throws IOException {
        Piece p = new Piece();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            int field = WireFormat.getTagFieldNumber(tag);
            if (depth < path.length && field == path[depth]) {
                int limit = in.pushLimit(in.readRawVarint32());
                Piece inner = message(in, depth + 1);
                in.popLimit(limit);
                p.out.writeUInt32NoTag(tag);
                p.out.writeUInt64NoTag(inner.size);
                p.add(inner);
            } else if (depth == path.length && field == VERSION_NUMBER) {
                Tensor t = tensors.get(-1 - in.readInt32());
                p.out.writeTag(CONTENT, WireFormat.WIRETYPE_LENGTH_DELIMITED);
                p.out.writeUInt64NoTag(t.byteSize());
                p.add(t);
            } else copy(tag, in, p.out);
        }
        p.cut();
        return p;
    }

    private static void copy(int tag, CodedInputStream in, CodedOutputStream out) throws IOException {
        out.writeUInt32NoTag(tag);
        switch (WireFormat.getTagWireType(tag)) {
            case WireFormat.WIRETYPE_VARINT -> out.writeUInt64NoTag(in.readRawVarint64());
            case WireFormat.WIRETYPE_FIXED64 -> out.writeFixed64NoTag(in.readFixed64());
            case WireFormat.WIRETYPE_LENGTH_DELIMITED -> out.writeByteArrayNoTag(in.readByteArray());
            case WireFormat.WIRETYPE_FIXED32 -> out.writeFixed32NoTag(in.readFixed32());
            default -> throw new IOException("a message of ours has the tag " + tag);
        }
    }

    int size() {
        return Math.toIntExact(all.size);
    }

    /** Writes the message to buffers of {@link Passage}. */
    void writeTo(OutputStream out) throws IOException {
        for (Object part : all.parts) {
            if (part instanceof Tensor t) Passage.write(t, out);
            else out.write((byte[]) part);
        }
    }

    /** Writes the message to anything else, such as an array. */
    void copyTo(OutputStream out) throws IOException {
        byte[] chunk = new byte[CHUNK];
        for (Object part : all.parts) {
            if (part instanceof Tensor t) copy(memory(t), chunk, out);
            else out.write((byte[]) part);
        }
    }

    private static MemorySegment memory(Tensor t) {
        return Memory.ALL.asSlice(t.address(), t.byteSize());
    }

    private static void copy(MemorySegment from, byte[] chunk, OutputStream out) throws IOException {
        for (long at = 0; at < from.byteSize(); at += chunk.length) {
            int n = (int) Math.min(chunk.length, from.byteSize() - at);
            MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, chunk, 0, n);
            out.write(chunk, 0, n);
        }
    }
}
