package dev.oxbow.cuda;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A descriptor of cuDNN that is put together: attributes by number, then {@link #done}. */
final class Descriptor {

    /** Sorts of descriptors. */
    enum Sort {
        POINTWISE(0),
        CONVOLUTION(1),
        ENGINE(2),
        ENGINE_CONFIGURATION(3),
        HEURISTICS(4),
        PLAN(5),
        CONVOLUTION_FORWARD(10),
        CONVOLUTION_BACKWARD_FILTER(11),
        CONVOLUTION_BACKWARD_DATA(12),
        OPERATION_POINTWISE(13),
        OPERATION_GRAPH(15),
        VARIANT_PACK(16),
        TENSOR(17),
        MATMUL(18),
        OPERATION_MATMUL(19),
        REDUCTION(21),
        OPERATION_REDUCTION(22),
        OPERATION_RESHAPE(31),
        DEVICE_PROPERTIES(38);

        final int number;

        Sort(int number) {
            this.number = number;
        }
    }

    /** Types of attributes, with the bytes of an element. */
    enum Type {
        HANDLE(0, 8),
        DATA_TYPE(1, 4),
        BOOLEAN(2, 1),
        INT64(3, 8),
        FLOAT(4, 4),
        DOUBLE(5, 8),
        POINTER(6, 8),
        CONVOLUTION_MODE(7, 4),
        HEURISTICS_MODE(8, 4),
        NUMERICAL_NOTE(11, 4),
        POINTWISE_MODE(14, 4),
        DESCRIPTOR(15, 8),
        REDUCTION(18, 4);

        final int number;
        final int bytes;

        Type(int number, int bytes) {
            this.number = number;
            this.bytes = bytes;
        }
    }

    private static final int TEXT = 24;

    private final Sort sort;
    private final long address;

    Descriptor(Sort sort) {
        this.sort = sort;
        this.address = Dnn.descriptor(sort.number);
    }

    /** Floats and doubles are given by their bits. */
    Descriptor set(int attribute, Type type, long... values) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(8L * Math.max(1, values.length), 8);
            for (int i = 0; i < values.length; i++) {
                long at = (long) i * type.bytes;
                switch (type.bytes) {
                    case 1 -> m.set(ValueLayout.JAVA_BYTE, at, (byte) values[i]);
                    case 4 -> m.set(ValueLayout.JAVA_INT, at, (int) values[i]);
                    default -> m.set(ValueLayout.JAVA_LONG, at, values[i]);
                }
            }
            Dnn.set(address, attribute, type.number, values.length, m.address());
            return this;
        }
    }

    /** Sets an attribute to a text. */
    Descriptor set(int attribute, String text) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocateFrom(text);
            Dnn.set(address, attribute, TEXT, m.byteSize(), m.address());
            return this;
        }
    }

    /** The finished descriptor; whoever forgets it leaves it to the process. */
    long done() {
        Dnn.finish(address, sort.toString());
        return address;
    }

    /** What may be filled by {@link Dnn#get}. */
    long empty() {
        return address;
    }

    /** The numbers of an attribute of a finished descriptor, at most so many. */
    static long[] get(long descriptor, int attribute, Type type, int most) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(8L * most, 8);
            int n = Math.min(most, Dnn.get(descriptor, attribute, type.number, most, m.address()));
            long[] all = new long[n];
            for (int i = 0; i < n; i++)
                all[i] = type.bytes == 8
                        ? m.get(ValueLayout.JAVA_LONG, 8L * i)
                        : m.get(ValueLayout.JAVA_INT, (long) type.bytes * i);
            return all;
        }
    }

    /** Has an attribute that is one descriptor or several copied into empty ones; gives how many were, or without any how many there are. */
    static int fill(long descriptor, int attribute, long... empty) {
        if (empty.length == 0) return Dnn.get(descriptor, attribute, Type.DESCRIPTOR.number, 0, 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(8L * empty.length, 8);
            MemorySegment.copy(empty, 0, m, ValueLayout.JAVA_LONG, 0, empty.length);
            return Dnn.get(descriptor, attribute, Type.DESCRIPTOR.number, empty.length, m.address());
        }
    }

    /** What holds elements. */
    static int type(DType t) {
        return switch (t) {
            case F32 -> 0;
            case F64 -> 1;
            case F16 -> 2;
            case BF16 -> 9;
            default -> throw new OxbowException(ErrorCode.UNIMPLEMENTED, "cuDNN: computes nothing with " + t);
        };
    }

    /** A tensor that lies where a call says, under this number. */
    static long tensor(long number, DType t, long[] dims, long[] strides) {
        return new Descriptor(Sort.TENSOR)
                .set(901, Type.DATA_TYPE, type(t))
                .set(902, Type.INT64, dims)
                .set(903, Type.INT64, strides)
                .set(906, Type.INT64, number)
                .set(900, Type.INT64, 16)
                .done();
    }
}
