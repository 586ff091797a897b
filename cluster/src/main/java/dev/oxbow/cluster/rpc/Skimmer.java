package dev.oxbow.cluster.rpc;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.TensorProto;
import io.grpc.HasByteBuffer;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Takes the contents of large tensors out of a message while it is read, so that each is copied once. */
final class Skimmer {

    /*
     * A parser of protobuf makes an array of the heap of each tensor_content, from which it is copied again. This one
     * follows the few fields that lead to tensors, copies a long content from the buffers of the connection to memory of
     * the pool, and writes all else as it was; where a content was stands the number of its tensor, as version_number,
     * which says nothing otherwise and is dropped where others wrote it.
     */

    /** Shorter contents are left where they are. */
    private static final int LONG = 1 << 14;

    private static final int VERSION_NUMBER = TensorProto.VERSION_NUMBER_FIELD_NUMBER;
    private static final int CONTENT = TensorProto.TENSOR_CONTENT_FIELD_NUMBER;

    private final InputStream in;
    private final int[] path;
    private final List<Tensor> tensors = new ArrayList<>();

    /** What is left to read of the message. */
    private long left;

    /** The fields of {@code path} lead from the message to its tensors. */
    Skimmer(InputStream in, int length, int[] path) {
        this.in = in;
        this.path = path;
        this.left = length;
    }

    /** The bytes of the message without the contents that were taken out. */
    byte[] skim() throws IOException {
        try {
            return message(left, 0);
        } catch (IOException | RuntimeException e) {
            tensors.forEach(Tensor::release);
            throw e;
        }
    }

    Tensor[] tensors() {
        return tensors.toArray(Tensor[]::new);
    }

    private byte[] message(long length, int depth) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, 256);
        boolean tensor = depth == path.length;
        long end = left - length;
        require(end >= 0, INVALID_ARGUMENT, "message: a field of %d bytes does not fit into %d", length, left);
        while (left > end) {
            int tag = (int) varint(), field = tag >>> 3, kind = tag & 7;
            if (kind == 2 && !tensor && field == path[depth]) {
                byte[] inner = message(varint(), depth + 1);
                out.writeTag(field, 2);
                out.writeUInt32NoTag(inner.length);
                out.writeRawBytes(inner);
            } else if (tensor && field == CONTENT && kind == 2) {
                out.flush();
                content(varint(), bytes, out);
            } else if (tensor && field == VERSION_NUMBER && kind == 0) varint();
            else copy(tag, kind, out);
        }
        require(left == end, INVALID_ARGUMENT, "message: a field ends %d bytes after its message", end - left);
        out.flush();
        return bytes.toByteArray();
    }

    /** Takes a content out if it is long and fits the type and shape that came before it; else it stays. */
    private void content(long length, ByteArrayOutputStream before, CodedOutputStream out) throws IOException {
        require(
                length >= 0 && length <= left,
                INVALID_ARGUMENT,
                "message: tensor_content of %d bytes does not fit into %d",
                length,
                left);
        Tensor t = length < LONG ? null : space(length, before.toByteArray());
        if (t == null) {
            out.writeTag(CONTENT, 2);
            out.writeUInt32NoTag((int) length);
            pass(length, out);
            return;
        }
        tensors.add(t);
        fill(t);
        out.writeInt32(VERSION_NUMBER, -tensors.size());
    }

    /** Memory for a tensor of so many bytes; null where a parser shall say what is wrong with it. */
    private static Tensor space(long length, byte[] before) {
        try {
            TensorProto p = TensorProto.parseFrom(before);
            if (!TensorCodec.fitsContent(p, length)) return null;
            return MemoryPool.shared()
                    .tensor(
                            TensorCodec.decodeType(p.getDtype()),
                            TensorCodec.decodeShape(p.getTensorShape()),
                            "a message");
        } catch (InvalidProtocolBufferException e) {
            return null;
        }
    }

    private void fill(Tensor t) throws IOException {
        MemorySegment to = Memory.ALL.asSlice(t.address(), t.byteSize());
        long at = 0, size = t.byteSize();
        left -= size;
        if (in instanceof HasByteBuffer h && h.byteBufferSupported()) {
            while (at < size) {
                ByteBuffer b = h.getByteBuffer();
                if (b == null || !b.hasRemaining()) throw new EOFException("the message ends in a tensor");
                int n = (int) Math.min(b.remaining(), size - at);
                MemorySegment.copy(MemorySegment.ofBuffer(b), 0, to, at, n);
                in.skipNBytes(n);
                at += n;
            }
            return;
        }
        byte[] chunk = new byte[LONG];
        while (at < size) {
            int n = in.read(chunk, 0, (int) Math.min(chunk.length, size - at));
            if (n < 0) throw new EOFException("the message ends in a tensor");
            MemorySegment.copy(MemorySegment.ofArray(chunk), 0, to, at, n);
            at += n;
        }
    }

    private void copy(int tag, int kind, CodedOutputStream out) throws IOException {
        out.writeUInt32NoTag(tag);
        switch (kind) {
            case 0 -> out.writeUInt64NoTag(varint());
            case 1 -> pass(8, out);
            case 2 -> {
                long length = varint();
                require(
                        length >= 0 && length <= left,
                        INVALID_ARGUMENT,
                        "message: a field of %d bytes does not fit into %d",
                        length,
                        left);
                out.writeUInt64NoTag(length);
                pass(length, out);
            }
            case 5 -> pass(4, out);
            default -> throw new IOException("a field has the wire type " + kind);
        }
    }

    private void pass(long length, CodedOutputStream out) throws IOException {
        byte[] chunk = new byte[(int) Math.min(length, LONG)];
        left -= length;
        for (long at = 0; at < length; ) {
            int n = in.read(chunk, 0, (int) Math.min(chunk.length, length - at));
            if (n < 0) throw new EOFException("the message ends in a field");
            out.writeRawBytes(chunk, 0, n);
            at += n;
        }
    }

    private long varint() throws IOException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int b = in.read();
            if (b < 0) throw new EOFException("the message ends in a number");
            left--;
            value |= (long) (b & 0x7f) << shift;
            if (b < 0x80) return value;
        }
        throw new IOException("a number has more than ten bytes");
    }
}
