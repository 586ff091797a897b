package dev.oxbow.tensor;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A dense, row-major array of one dtype: off-heap memory, or objects (strings are {@code byte[]}). Who makes or
 * fetches a tensor owns it and may close it; a Cleaner closes what is forgotten. Contents are not to be changed
 * once a tensor was handed on.
 */
public final class Tensor implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final DType dtype;
    private final Shape shape;
    private final Buffer buffer;
    private final long address;
    private Cleaner.Cleanable cleanable;

    /** A tensor over {@code buffer}, taking over one reference to it. */
    public Tensor(DType dtype, Shape shape, Buffer buffer) {
        this(dtype, shape, buffer, buffer.address());
    }

    private Tensor(DType dtype, Shape shape, Buffer buffer, long address) {
        this.dtype = dtype;
        this.shape = shape;
        this.buffer = buffer;
        this.address = address;
    }

    // ---- made by users: owned, with the Cleaner as backstop

    /** A tensor of the shared pool, not cleared. */
    public static Tensor allocate(DType dtype, Shape shape) {
        return MemoryPool.shared().tensor(dtype, shape, "user").guarded();
    }

    public static Tensor zeros(DType dtype, Shape shape) {
        Tensor t = allocate(dtype, shape);
        if (!dtype.isObject()) Memory.zero(t.address, t.byteSize());
        else if (dtype == DType.STRING) java.util.Arrays.fill(t.objects(), new byte[0]);
        return t;
    }

    public static Tensor of(Shape shape, float... values) {
        return copyOf(DType.F32, shape, values.length, MemorySegment.ofArray(values));
    }

    public static Tensor of(Shape shape, double... values) {
        return copyOf(DType.F64, shape, values.length, MemorySegment.ofArray(values));
    }

    public static Tensor of(Shape shape, int... values) {
        return copyOf(DType.I32, shape, values.length, MemorySegment.ofArray(values));
    }

    public static Tensor of(Shape shape, long... values) {
        return copyOf(DType.I64, shape, values.length, MemorySegment.ofArray(values));
    }

    public static Tensor of(Shape shape, boolean... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (values[i] ? 1 : 0);
        return copyOf(DType.BOOL, shape, values.length, MemorySegment.ofArray(bytes));
    }

    /** Strings, stored as UTF-8. */
    public static Tensor of(Shape shape, String... values) {
        byte[][] bytes = new byte[values.length][];
        for (int i = 0; i < bytes.length; i++) bytes[i] = values[i].getBytes(StandardCharsets.UTF_8);
        return ofObjects(DType.STRING, shape, (Object[]) bytes);
    }

    /** A string ({@code byte[]}), resource or variant tensor; it takes over the array and one reference to each Counted. */
    public static Tensor ofObjects(DType dtype, Shape shape, Object... values) {
        require(dtype.isObject(), INVALID_ARGUMENT, "Tensor: %s elements are not objects", dtype);
        require(
                shape.size() == values.length,
                INVALID_ARGUMENT,
                "Tensor: %s%s needs %d values, got %d",
                dtype,
                shape,
                shape.size(),
                values.length);
        return new Tensor(dtype, shape, Buffer.ofObjects(values));
    }

    public static Tensor of(Shape shape, FloatBuffer values) {
        return copyOf(DType.F32, shape, values.remaining(), MemorySegment.ofBuffer(values));
    }

    /** Elements given as little-endian bytes. */
    public static Tensor ofBytes(DType dtype, Shape shape, ByteBuffer bytes) {
        require(!dtype.isObject(), INVALID_ARGUMENT, "Tensor: %s elements have no bytes", dtype);
        require(
                bytes.remaining() == MemoryPool.byteSize(dtype, shape),
                INVALID_ARGUMENT,
                "Tensor: %s%s needs %d bytes, got %d",
                dtype,
                shape,
                MemoryPool.byteSize(dtype, shape),
                bytes.remaining());
        Tensor t = allocate(dtype, shape);
        MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, Memory.ALL, t.address, bytes.remaining());
        return t;
    }

    public static Tensor scalar(float value) {
        return of(Shape.SCALAR, value);
    }

    public static Tensor scalar(double value) {
        return of(Shape.SCALAR, value);
    }

    public static Tensor scalar(int value) {
        return of(Shape.SCALAR, value);
    }

    public static Tensor scalar(long value) {
        return of(Shape.SCALAR, value);
    }

    public static Tensor scalar(boolean value) {
        return of(Shape.SCALAR, value);
    }

    public static Tensor scalar(String value) {
        return of(Shape.SCALAR, value);
    }

    private static Tensor copyOf(DType dtype, Shape shape, long count, MemorySegment values) {
        require(
                shape.size() == count,
                INVALID_ARGUMENT,
                "Tensor: %s%s needs %d values, got %d",
                dtype,
                shape,
                shape.size(),
                count);
        Tensor t = allocate(dtype, shape);
        MemorySegment.copy(values, 0, Memory.ALL, t.address, values.byteSize());
        return t;
    }

    // ---- what it is

    public DType dtype() {
        return dtype;
    }

    public Shape shape() {
        return shape;
    }

    /** The number of elements. */
    public long size() {
        return shape.size();
    }

    public long byteSize() {
        return shape.size() * dtype.size();
    }

    /** The address of the first element; meaningless for objects. */
    public long address() {
        return address;
    }

    /** The elements of a string ({@code byte[]}), resource or variant tensor, not a copy. */
    public Object[] objects() {
        return buffer.objects();
    }

    public Buffer buffer() {
        return buffer;
    }

    /** The memory as a segment of exactly the tensor's bytes. */
    public MemorySegment segment() {
        return Memory.ALL.asSlice(address, byteSize());
    }

    // ---- reading, for users and tests

    public float[] floats() {
        check(DType.F32);
        return segment().toArray(Memory.FLOAT);
    }

    public double[] doubles() {
        check(DType.F64);
        return segment().toArray(Memory.DOUBLE);
    }

    public int[] ints() {
        check(DType.I32);
        return segment().toArray(Memory.INT);
    }

    public long[] longs() {
        check(DType.I64);
        return segment().toArray(Memory.LONG);
    }

    public boolean[] booleans() {
        check(DType.BOOL);
        boolean[] b = new boolean[Math.toIntExact(size())];
        for (int i = 0; i < b.length; i++) b[i] = Memory.getByte(address + i) != 0;
        return b;
    }

    public List<String> strings() {
        check(DType.STRING);
        return java.util.Arrays.stream(objects())
                .map(o -> new String((byte[]) o, StandardCharsets.UTF_8))
                .toList();
    }

    /** Little-endian bytes, a copy. */
    public byte[] bytes() {
        return segment().toArray(ValueLayout.JAVA_BYTE);
    }

    public void copyTo(FloatBuffer target) {
        check(DType.F32);
        MemorySegment.copy(Memory.ALL, address, MemorySegment.ofBuffer(target), 0, byteSize());
        target.position(target.position() + Math.toIntExact(size()));
    }

    /** Element {@code i} of a real-valued tensor as a double; bool is 0 or 1. */
    public double getDouble(long i) {
        return switch (dtype) {
            case F32 -> Memory.getFloat(address + 4 * i);
            case F64 -> Memory.getDouble(address + 8 * i);
            case F16 -> Half.fromF16(Memory.getShort(address + 2 * i));
            case BF16 -> Half.fromBf16(Memory.getShort(address + 2 * i));
            default -> getLong(i);
        };
    }

    /** Element {@code i} of an integer, quantised or bool tensor; u64 keeps its bits. */
    public long getLong(long i) {
        return switch (dtype) {
            case I64, U64 -> Memory.getLong(address + 8 * i);
            case I32, QI32 -> Memory.getInt(address + 4 * i);
            case U32 -> Integer.toUnsignedLong(Memory.getInt(address + 4 * i));
            case I16, QI16 -> Memory.getShort(address + 2 * i);
            case U16, QU16 -> Short.toUnsignedLong(Memory.getShort(address + 2 * i));
            case I8, QI8 -> Memory.getByte(address + i);
            case U8, QU8 -> Byte.toUnsignedLong(Memory.getByte(address + i));
            case BOOL -> Memory.getByte(address + i) != 0 ? 1 : 0;
            default -> throw new OxbowException(INVALID_ARGUMENT, "Tensor: " + this + " has no whole-number elements");
        };
    }

    /** Sets element {@code i} of a tensor still being made; complex types take the real part. */
    public void set(long i, double value) {
        switch (dtype) {
            case F32 -> Memory.putFloat(address + 4 * i, (float) value);
            case F64 -> Memory.putDouble(address + 8 * i, value);
            case F16 -> Memory.putShort(address + 2 * i, Half.toF16((float) value));
            case BF16 -> Memory.putShort(address + 2 * i, Half.toBf16((float) value));
            case C64 -> {
                Memory.putFloat(address + 8 * i, (float) value);
                Memory.putFloat(address + 8 * i + 4, 0);
            }
            case C128 -> {
                Memory.putDouble(address + 16 * i, value);
                Memory.putDouble(address + 16 * i + 8, 0);
            }
            default -> setLong(i, (long) value);
        }
    }

    /** Sets element {@code i} of an integer, quantised or bool tensor still being made, keeping the low bits. */
    public void setLong(long i, long value) {
        switch (dtype.size()) {
            case 1 -> Memory.putByte(address + i, (byte) (dtype == DType.BOOL && value != 0 ? 1 : value));
            case 2 -> Memory.putShort(address + 2 * i, (short) value);
            case 4 -> Memory.putInt(address + 4 * i, (int) value);
            default -> Memory.putLong(address + 8 * i, value);
        }
    }

    // ---- sharing

    /** A view of the same elements with another shape of the same size; it holds a reference of its own. */
    public Tensor reshaped(Shape to) {
        require(to.size() == size(), INVALID_ARGUMENT, "Tensor: cannot view %s as %s", this, to);
        buffer.retain();
        return new Tensor(dtype, to, buffer, address);
    }

    /** A view of rows {@code [from, from + count)} of the first dimension, for dense tensors; it holds a reference of its own. */
    public Tensor rows(long from, long count) {
        require(
                !dtype.isObject() && from >= 0 && count >= 0 && from + count <= shape.dim(0),
                INVALID_ARGUMENT,
                "Tensor: no rows [%d, %d) in %s",
                from,
                from + count,
                this);
        buffer.retain();
        long row = shape.size(1, shape.rank()) * dtype.size();
        return new Tensor(dtype, shape.withDim(0, count), buffer, address + from * row);
    }

    /** A view with the same bytes as another dtype and shape; it holds a reference of its own. */
    public Tensor as(DType other, Shape to) {
        require(
                !dtype.isObject() && MemoryPool.byteSize(other, to) == byteSize(),
                INVALID_ARGUMENT,
                "Tensor: cannot view %s as %s%s",
                this,
                other,
                to);
        buffer.retain();
        return new Tensor(other, to, buffer, address);
    }

    /** Another reference to the same tensor, to be released by its holder. */
    public Tensor retain() {
        buffer.retain();
        return this;
    }

    public void release() {
        buffer.release();
    }

    /** This tensor with the Cleaner as backstop, for users; {@link #close} or garbage collection releases the one reference. */
    public Tensor guarded() {
        Buffer b = buffer;
        cleanable = CLEANER.register(this, b::release);
        return this;
    }

    /** Gives the memory back; only for tensors that a user made or fetched. Closing twice is harmless. */
    @Override
    public void close() {
        if (cleanable != null) cleanable.clean();
    }

    private void check(DType wanted) {
        require(dtype == wanted, INVALID_ARGUMENT, "Tensor: wanted %s elements, got %s", wanted, this);
    }

    @Override
    public String toString() {
        return dtype + shape.toString();
    }
}
