package dev.oxbow.ops;

import com.google.protobuf.ByteString;
import dev.oxbow.wire.proto.VariantTensorDataProto;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Single numbers as elements of variant tensors: what TensorFlow calls int, float, double and bool, with their bytes as metadata. */
final class NumberVariant {
    private NumberVariant() {}

    static boolean is(Object o) {
        return o instanceof VariantTensorDataProto v && v.getMetadata().size() == size(v.getTypeName());
    }

    /** Whether both are numbers of one type. */
    static boolean areAlike(Object a, Object b) {
        return is(a)
                && is(b)
                && ((VariantTensorDataProto) a).getTypeName().equals(((VariantTensorDataProto) b).getTypeName());
    }

    static VariantTensorDataProto sum(VariantTensorDataProto a, VariantTensorDataProto b) {
        ByteBuffer x = bytes(a), y = bytes(b), sum = buffer(x.remaining());
        switch (a.getTypeName()) {
            case "int" -> sum.putInt(x.getInt() + y.getInt());
            case "float" -> sum.putFloat(x.getFloat() + y.getFloat());
            case "double" -> sum.putDouble(x.getDouble() + y.getDouble());
            default -> sum.put((byte) (x.get() | y.get()));
        }
        return with(a, sum);
    }

    static VariantTensorDataProto zero(VariantTensorDataProto v) {
        return with(v, buffer(size(v.getTypeName())));
    }

    private static int size(String type) {
        return switch (type) {
            case "int", "float" -> 4;
            case "double" -> 8;
            case "bool" -> 1;
            default -> -1;
        };
    }

    private static ByteBuffer bytes(VariantTensorDataProto v) {
        return v.getMetadata().asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    private static ByteBuffer buffer(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static VariantTensorDataProto with(VariantTensorDataProto v, ByteBuffer value) {
        return v.toBuilder().setMetadata(ByteString.copyFrom(value.array())).build();
    }
}
