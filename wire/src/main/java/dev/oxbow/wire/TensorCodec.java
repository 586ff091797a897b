package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.ResourceHandleProto;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.TensorShapeProto;
import dev.oxbow.wire.proto.VariantTensorDataProto;
import java.nio.ByteBuffer;

/**
 * Tensors, shapes and dtypes to and from TensorFlow's messages. Elements of resource and variant tensors are
 * {@link ResourceHandleProto} and {@link VariantTensorDataProto}.
 */
public final class TensorCodec {
    /** The most bytes that {@link #decode(TensorProto)} allocates: what one protobuf message can carry. */
    public static final long DEFAULT_MAX_BYTES = 1L << 31;

    /** TensorFlow's limit. */
    static final int MAX_RANK = 254;

    private static final int REFERENCE_BYTES = 8;

    /** What an element of its own costs beyond its bytes: the header and length of an array. */
    private static final int OBJECT_BYTES = 24;

    private TensorCodec() {}

    /** The tensor in a message, of the shared pool; the caller owns it. */
    public static Tensor decode(TensorProto proto) {
        return decode(proto, DEFAULT_MAX_BYTES);
    }

    /** The tensor in a message, of the shared pool; refused before allocation when larger than {@code maxBytes}. */
    public static Tensor decode(TensorProto proto, long maxBytes) {
        return decode(proto, maxBytes, MemoryPool.shared(), "TensorProto").guarded();
    }

    /** The tensor in a message, of {@code pool}; the caller owns its one reference. */
    public static Tensor decode(TensorProto proto, long maxBytes, MemoryPool pool, Object holder) {
        DType dtype = decodeTensorType(proto.getDtypeValue());
        Shape shape = decodeShape(proto.getTensorShape());
        require(
                shape.isFullyKnown(),
                INVALID_ARGUMENT,
                "TensorProto: tensor_shape must be fully known, got %s of %s",
                shape,
                dtype);
        long size = shape.size();
        require(
                size <= maxBytes / width(dtype),
                INVALID_ARGUMENT,
                "TensorProto: tensor_shape: %s%s is larger than the limit of %d bytes",
                dtype,
                shape,
                maxBytes);
        if (size == 0) return empty(dtype, shape, pool, holder);
        ByteString content = proto.getTensorContent();
        if (dtype.isObject()) {
            Object[] values = content.isEmpty()
                    ? ObjectValues.read(dtype, size, proto)
                    : ObjectValues.content(dtype, size, content);
            return Tensor.ofObjects(dtype, shape, values);
        }
        int values = valueCount(dtype, proto);
        if (content.isEmpty()) {
            require(
                    values <= size,
                    INVALID_ARGUMENT,
                    "TensorProto: %s has more values than %s%s has elements: %d > %d",
                    valueField(dtype),
                    dtype,
                    shape,
                    values,
                    size);
        } else {
            require(
                    content.size() == size * dtype.size(),
                    INVALID_ARGUMENT,
                    "TensorProto: tensor_content of %s%s must have %d bytes, got %d",
                    dtype,
                    shape,
                    size * dtype.size(),
                    content.size());
        }
        Tensor tensor = pool.tensor(dtype, shape, holder);
        if (content.isEmpty()) {
            copyValues(proto, values, tensor);
            repeatLast(tensor, values);
        } else {
            content.copyTo(
                    Memory.ALL.asSlice(tensor.address(), tensor.byteSize()).asByteBuffer());
            if (dtype == DType.BOOL) normaliseBooleans(tensor);
        }
        return tensor;
    }

    /** TensorFlow itself writes a value for some tensors without elements; values of such tensors say nothing. */
    private static Tensor empty(DType dtype, Shape shape, MemoryPool pool, Object holder) {
        return dtype.isObject() ? Tensor.ofObjects(dtype, shape, new Object[0]) : pool.tensor(dtype, shape, holder);
    }

    /** The bytes that a tensor of a message takes, objects of the heap included; at most 2^63 - 1. */
    public static long decodedBytes(TensorProto proto) {
        DType dtype = decodeTensorType(proto.getDtypeValue());
        double bytes = elements(proto) * width(dtype);
        if (dtype.isObject()) bytes += spelled(dtype, proto) * OBJECT_BYTES + proto.getSerializedSize();
        return (long) bytes;
    }

    /** The part of {@link #decodedBytes} that repeats the last value of a message, or zero, and so costs its sender nothing. */
    public static long repeatedBytes(TensorProto proto) {
        DType dtype = decodeTensorType(proto.getDtypeValue());
        return (long) (Math.max(0, elements(proto) - spelled(dtype, proto)) * width(dtype));
    }

    private static double elements(TensorProto proto) {
        Shape shape = decodeShape(proto.getTensorShape());
        return shape.isFullyKnown() ? shape.size() : 0;
    }

    private static double spelled(DType dtype, TensorProto proto) {
        if (proto.getTensorContent().isEmpty()) return valueCount(dtype, proto);
        return proto.getTensorContent().size() / (double) Math.max(1, dtype.size());
    }

    private static int width(DType dtype) {
        return dtype.isObject() ? REFERENCE_BYTES : dtype.size();
    }

    /** The tensor in a serialised TensorProto; its content goes from {@code bytes} to the tensor in one copy. */
    public static Tensor parse(ByteBuffer bytes, long maxBytes) {
        return decode(Messages.parse(TensorProto.parser(), bytes, "TensorProto"), maxBytes);
    }

    /** The message for a tensor, serialised. */
    public static byte[] bytes(Tensor tensor) {
        return encode(tensor).toByteArray();
    }

    /** The message for a tensor: single elements and objects in the list of their type, others as content. */
    public static TensorProto encode(Tensor tensor) {
        tensor.retain();
        try {
            return encodeHeld(tensor);
        } finally {
            tensor.release();
        }
    }

    /** As {@link #encode}, but numbers and strings are in tensor_content however few: of strings the lengths, then the bytes. */
    public static TensorProto encodeContent(Tensor tensor) {
        TensorProto proto = encode(tensor);
        if (tensor.size() == 0) return proto;
        if (tensor.dtype() == DType.STRING)
            return proto.toBuilder()
                    .clearStringVal()
                    .setTensorContent(ObjectValues.content(proto.getStringValList()))
                    .build();
        if (tensor.dtype().isObject() || !proto.getTensorContent().isEmpty()) return proto;
        return TensorProto.newBuilder()
                .setDtype(proto.getDtype())
                .setTensorShape(proto.getTensorShape())
                .setTensorContent(ByteString.copyFrom(tensor.bytes()))
                .build();
    }

    /** Whether a message that has so many bytes of content is one of numbers of a known shape and that length. */
    public static boolean fitsContent(TensorProto proto, long bytes) {
        int number = proto.getDtypeValue();
        if (number <= 0 || number > DType.U64.number()) return false;
        DType dtype = DType.ofNumber(number);
        if (dtype.isObject() || dtype == DType.BOOL || !proto.hasTensorShape()) return false;
        Shape shape = decodeShape(proto.getTensorShape());
        return shape.isFullyKnown() && shape.size() == bytes / dtype.size() && bytes % dtype.size() == 0;
    }

    private static void requireFits(Tensor tensor) {
        require(
                tensor.byteSize() < Integer.MAX_VALUE - 1024,
                INVALID_ARGUMENT,
                "TensorProto: a message carries less than 2^31 bytes, %s has %d",
                tensor.describe(),
                tensor.byteSize());
    }

    private static TensorProto encodeHeld(Tensor tensor) {
        DType dtype = tensor.dtype();
        TensorProto.Builder proto =
                TensorProto.newBuilder().setDtype(encodeType(dtype)).setTensorShape(encodeShape(tensor.shape()));
        if (!dtype.isObject()) requireFits(tensor);
        if (dtype.isObject() || tensor.size() == 1) addValues(proto, tensor);
        else if (tensor.size() > 0) proto.setTensorContent(UnsafeByteOperations.unsafeWrap(tensor.bytes()));
        return proto.build();
    }

    /** The shape in a message; dimensions or the rank may be unknown. */
    public static Shape decodeShape(TensorShapeProto proto) {
        if (proto.getUnknownRank()) {
            require(
                    proto.getDimCount() == 0,
                    INVALID_ARGUMENT,
                    "TensorShapeProto: a shape of unknown_rank has no dim, got %d",
                    proto.getDimCount());
            return Shape.UNKNOWN;
        }
        int rank = proto.getDimCount();
        require(rank <= MAX_RANK, INVALID_ARGUMENT, "TensorShapeProto: rank must be at most 254, got %d", rank);
        long[] dims = new long[rank];
        for (int i = 0; i < rank; i++) {
            dims[i] = proto.getDim(i).getSize();
            require(dims[i] >= -1, INVALID_ARGUMENT, "TensorShapeProto: dim %d must be >= -1, got %d", i, dims[i]);
        }
        Shape shape = Shape.of(dims);
        if (shape.isFullyKnown()) shape.size();
        return shape;
    }

    public static TensorShapeProto encodeShape(Shape shape) {
        TensorShapeProto.Builder proto = TensorShapeProto.newBuilder();
        if (!shape.isRankKnown()) return proto.setUnknownRank(true).build();
        for (long d : shape.dims()) proto.addDimBuilder().setSize(d);
        return proto.build();
    }

    /** The dtype of a message; a reference type gives its element type. */
    public static DType decodeType(DataType type) {
        require(
                type != DataType.UNRECOGNIZED && type != DataType.DT_INVALID,
                INVALID_ARGUMENT,
                "DataType: %s is not a type",
                type);
        return DType.ofNumber(type.getNumber());
    }

    public static DataType encodeType(DType dtype) {
        return DataType.forNumber(dtype.number());
    }

    private static DType decodeTensorType(int number) {
        boolean known = number > 0 && number <= DType.U64.number();
        require(known, INVALID_ARGUMENT, "TensorProto: dtype must be 1 to %d, got %d", DType.U64.number(), number);
        return DType.ofNumber(number);
    }

    static String valueField(DType dtype) {
        return switch (dtype) {
            case F32 -> "float_val";
            case F64 -> "double_val";
            case I32, I16, I8, U16, U8, QI32, QI16, QI8, QU16, QU8 -> "int_val";
            case I64 -> "int64_val";
            case U32 -> "uint32_val";
            case U64 -> "uint64_val";
            case BOOL -> "bool_val";
            case F16, BF16 -> "half_val";
            case C64 -> "scomplex_val";
            case C128 -> "dcomplex_val";
            case STRING -> "string_val";
            case RESOURCE -> "resource_handle_val";
            case VARIANT -> "variant_val";
        };
    }

    static int valueCount(DType dtype, TensorProto p) {
        return switch (dtype) {
            case F32 -> p.getFloatValCount();
            case F64 -> p.getDoubleValCount();
            case I32, I16, I8, U16, U8, QI32, QI16, QI8, QU16, QU8 -> p.getIntValCount();
            case I64 -> p.getInt64ValCount();
            case U32 -> p.getUint32ValCount();
            case U64 -> p.getUint64ValCount();
            case BOOL -> p.getBoolValCount();
            case F16, BF16 -> p.getHalfValCount();
            case C64 -> pairs(dtype, p.getScomplexValCount());
            case C128 -> pairs(dtype, p.getDcomplexValCount());
            case STRING -> p.getStringValCount();
            case RESOURCE -> p.getResourceHandleValCount();
            case VARIANT -> p.getVariantValCount();
        };
    }

    private static int pairs(DType dtype, int parts) {
        String field = valueField(dtype);
        require(parts % 2 == 0, INVALID_ARGUMENT, "TensorProto: %s must have pairs of values, got %d", field, parts);
        return parts / 2;
    }

    private static void copyValues(TensorProto p, int count, Tensor to) {
        long a = to.address();
        switch (to.dtype()) {
            case F32 -> {
                for (int i = 0; i < count; i++) Memory.putFloat(a + 4L * i, p.getFloatVal(i));
            }
            case F64 -> {
                for (int i = 0; i < count; i++) Memory.putDouble(a + 8L * i, p.getDoubleVal(i));
            }
            case I32, I16, I8, U16, U8, QI32, QI16, QI8, QU16, QU8 -> {
                for (int i = 0; i < count; i++) to.setLong(i, p.getIntVal(i));
            }
            case I64 -> {
                for (int i = 0; i < count; i++) Memory.putLong(a + 8L * i, p.getInt64Val(i));
            }
            case U32 -> {
                for (int i = 0; i < count; i++) Memory.putInt(a + 4L * i, p.getUint32Val(i));
            }
            case U64 -> {
                for (int i = 0; i < count; i++) Memory.putLong(a + 8L * i, p.getUint64Val(i));
            }
            case BOOL -> {
                for (int i = 0; i < count; i++) Memory.putByte(a + i, (byte) (p.getBoolVal(i) ? 1 : 0));
            }
            case F16, BF16 -> {
                for (int i = 0; i < count; i++) Memory.putShort(a + 2L * i, (short) p.getHalfVal(i));
            }
            case C64 -> {
                for (int i = 0; i < 2 * count; i++) Memory.putFloat(a + 4L * i, p.getScomplexVal(i));
            }
            case C128 -> {
                for (int i = 0; i < 2 * count; i++) Memory.putDouble(a + 8L * i, p.getDcomplexVal(i));
            }
            case STRING, RESOURCE, VARIANT -> throw new AssertionError(to.dtype());
        }
    }

    /** Fills the elements from {@code count} on with the one before, or with zeros when there is none. */
    private static void repeatLast(Tensor tensor, int count) {
        int width = tensor.dtype().size();
        long from = tensor.address() + (long) width * count;
        long left = tensor.byteSize() - (long) width * count;
        if (count == 0) {
            Memory.zero(from, left);
            return;
        }
        for (long done = 0, known = width; done < left; known = width + done) {
            long step = Math.min(known, left - done);
            Memory.copy(from - width, from + done, step);
            done += step;
        }
    }

    /** Any byte but 0 becomes 1, since kernels copy and compare the bytes of booleans. */
    private static void normaliseBooleans(Tensor tensor) {
        long end = tensor.address() + tensor.byteSize();
        for (long a = tensor.address(); a < end; a++) if (Memory.getByte(a) != 0) Memory.putByte(a, (byte) 1);
    }

    /** Adds all elements to the list of their type. */
    static void addValues(TensorProto.Builder p, Tensor t) {
        if (t.dtype().isObject()) {
            for (Object o : t.objects()) ObjectValues.add(p, t.dtype(), o);
            return;
        }
        int width = t.dtype().size();
        for (long i = 0; i < t.size(); i++) addValue(p, t, i, t.address() + width * i);
    }

    private static void addValue(TensorProto.Builder p, Tensor t, long i, long a) {
        switch (t.dtype()) {
            case F32 -> p.addFloatVal(Memory.getFloat(a));
            case F64 -> p.addDoubleVal(Memory.getDouble(a));
            case I32, I16, I8, U16, U8, QI32, QI16, QI8, QU16, QU8 -> p.addIntVal((int) t.getLong(i));
            case I64 -> p.addInt64Val(Memory.getLong(a));
            case U32 -> p.addUint32Val(Memory.getInt(a));
            case U64 -> p.addUint64Val(Memory.getLong(a));
            case BOOL -> p.addBoolVal(Memory.getByte(a) != 0);
            case F16, BF16 -> p.addHalfVal(Short.toUnsignedInt(Memory.getShort(a)));
            case C64 -> p.addScomplexVal(Memory.getFloat(a)).addScomplexVal(Memory.getFloat(a + 4));
            case C128 -> p.addDcomplexVal(Memory.getDouble(a)).addDcomplexVal(Memory.getDouble(a + 8));
            case STRING, RESOURCE, VARIANT -> throw new AssertionError(t.dtype());
        }
    }
}
