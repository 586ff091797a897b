package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.ResourceHandleProto;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.VariantTensorDataProto;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/** Strings, handles and variants as elements of a TensorProto. */
final class ObjectValues {
    private ObjectValues() {}

    /** The objects in the lists of a message; the last is repeated for those that are missing. */
    static Object[] read(DType dtype, long size, TensorProto p) {
        int count = TensorCodec.valueCount(dtype, p);
        require(
                count <= size,
                INVALID_ARGUMENT,
                "TensorProto: %s has more values than there are elements: %d > %d",
                TensorCodec.valueField(dtype),
                count,
                size);
        require(size < Integer.MAX_VALUE, INVALID_ARGUMENT, "TensorProto: at most 2^31 objects, got %d", size);
        Object[] values = new Object[(int) size];
        for (int i = 0; i < values.length; i++) {
            if (i >= count && i > 0) values[i] = values[i - 1];
            else values[i] = value(dtype, p, i, count);
        }
        return values;
    }

    private static Object value(DType dtype, TensorProto p, int i, int count) {
        boolean none = i >= count;
        return switch (dtype) {
            case RESOURCE -> none ? ResourceHandleProto.getDefaultInstance() : p.getResourceHandleVal(i);
            case VARIANT -> none ? VariantTensorDataProto.getDefaultInstance() : p.getVariantVal(i);
            default -> none ? new byte[0] : p.getStringVal(i).toByteArray();
        };
    }

    /** Objects as content are all lengths as varints, then all bytes: of strings, or of messages. */
    static Object[] content(DType dtype, long size, ByteString content) {
        Object[] values = strings(size, content);
        if (dtype == DType.STRING) return values;
        for (int i = 0; i < values.length; i++) {
            byte[] message = (byte[]) values[i];
            try {
                values[i] = dtype == DType.RESOURCE
                        ? ResourceHandleProto.parseFrom(message)
                        : VariantTensorDataProto.parseFrom(message);
            } catch (InvalidProtocolBufferException e) {
                throw new OxbowException(
                        INVALID_ARGUMENT,
                        "TensorProto: tensor_content: %s element %d: %s".formatted(dtype, i, e.getMessage()),
                        e);
            }
        }
        return values;
    }

    private static Object[] strings(long size, ByteString content) {
        require(
                size <= content.size(),
                INVALID_ARGUMENT,
                "TensorProto: tensor_content of %d strings must have at least as many bytes, got %d",
                size,
                content.size());
        ByteBuffer in = content.asReadOnlyByteBuffer();
        int[] lengths = new int[(int) size];
        long total = 0;
        for (int i = 0; i < lengths.length; i++) {
            long length = Varint.read(in, "TensorProto: tensor_content");
            require(
                    length >= 0 && length <= in.remaining(),
                    INVALID_ARGUMENT,
                    "TensorProto: tensor_content: string %d has %d bytes, %d are left",
                    i,
                    length,
                    in.remaining());
            lengths[i] = (int) length;
            total += length;
        }
        require(
                total == in.remaining(),
                INVALID_ARGUMENT,
                "TensorProto: tensor_content: strings have %d bytes, %d are left",
                total,
                in.remaining());
        Object[] values = new Object[lengths.length];
        for (int i = 0; i < lengths.length; i++) {
            byte[] value = new byte[lengths[i]];
            in.get(value);
            values[i] = value;
        }
        return values;
    }

    /** Adds an object to the list of its type. */
    static void add(TensorProto.Builder proto, DType dtype, Object element) {
        switch (element) {
            case byte[] s when dtype == DType.STRING -> proto.addStringVal(ByteString.copyFrom(s));
            case ResourceHandleProto r when dtype == DType.RESOURCE -> proto.addResourceHandleVal(r);
            case VariantTensorDataProto v when dtype == DType.VARIANT -> proto.addVariantVal(v);
            case null, default ->
                throw new OxbowException(
                        UNIMPLEMENTED,
                        "TensorProto: a %s element that is %s has no wire form"
                                .formatted(
                                        dtype,
                                        element == null
                                                ? "null"
                                                : element.getClass().getName()));
        }
    }

    /** All lengths as varints, then all bytes. */
    static ByteString content(List<ByteString> strings) {
        var lengths = new ByteArrayOutputStream();
        for (ByteString s : strings) Varint.write(lengths, s.size());
        return ByteString.copyFrom(lengths.toByteArray()).concat(ByteString.copyFrom(strings));
    }
}
