package dev.oxbow.tensor;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * A dense, row-major array of one dtype: memory of a space, or objects (strings are {@code byte[]}). Who makes or
 * fetches a tensor owns it and may close it; a Cleaner closes what is forgotten. Contents are not to be changed
 * once a tensor was handed on.
 */
public final class Tensor implements AutoCloseable {

    /*
     * Kernels work on addresses, which are good while a reference is counted. Users hold tensors: whatever reads or
     * writes for them looks whether the tensor was closed and whether the element is there, and keeps the tensor
     * reachable until it is done, since the Cleaner gives memory back as soon as nobody can reach its tensor any
     * more, in the middle of its last method if need be. Those that copy all of it count a reference as well, so
     * that another thread may close the tensor meanwhile.
     */

    private final DType dtype;
    private final Shape shape;
    private final Buffer buffer;
    private final long address;
    private Cleaner.Cleanable guard;
    private boolean closed;

    /** A tensor over {@code buffer}, taking over one reference to it. */
    public Tensor(DType dtype, Shape shape, Buffer buffer) {
        this(dtype, shape, buffer, buffer.address);
    }

    private Tensor(DType dtype, Shape shape, Buffer buffer, long address) {
        this.dtype = dtype;
        this.shape = shape;
        this.buffer = buffer;
        this.address = address;
    }

    /** A tensor of the shared pool, not cleared. */
    public static Tensor allocate(DType dtype, Shape shape) {
        return MemoryPool.shared().tensor(dtype, shape, "user").guarded();
    }

    public static Tensor zeros(DType dtype, Shape shape) {
        Tensor t = allocate(dtype, shape);
        if (!dtype.isObject()) Memory.zero(t.address, t.byteSize());
        else if (dtype == DType.STRING) Arrays.fill(t.objects(), new byte[0]);
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

    /**
     * The address of the first element. Objects and memory of other spaces than the host's have none, so that no kernel
     * for numbers of the host ever works on them.
     */
    public long address() {
        if (address < 0) throw notAddressed();
        return address;
    }

    private OxbowException notAddressed() {
        return new OxbowException(
                UNIMPLEMENTED,
                dtype.isObject()
                        ? "there is no kernel for elements of " + describe()
                        : "Tensor: %s lies in the memory of %s, where the host can not address it"
                                .formatted(describe(), space().name()));
    }

    /** Where the first element lies in the tensor's space, for kernels of that space. */
    public long place() {
        checkDense();
        return Buffer.place(address);
    }

    /** Where the memory lies; objects are the host's. */
    public Space space() {
        return buffer.space();
    }

    /** The elements of a string ({@code byte[]}), resource or variant tensor, not a copy. */
    public Object[] objects() {
        Object[] objects = buffer.objects();
        if (objects == null) throw new OxbowException(INVALID_ARGUMENT, "elements of " + describe() + " are numbers");
        return objects;
    }

    public Buffer buffer() {
        return buffer;
    }

    /** The memory as a segment of exactly the tensor's bytes, which keeps it until the segment is forgotten; needs native access. */
    @SuppressWarnings("restricted")
    public MemorySegment segment() {
        checkDense();
        require(
                Memory.isNative(),
                FAILED_PRECONDITION,
                "Tensor: a segment of %s needs native access, which is denied",
                describe());
        retain();
        try {
            return MemorySegment.ofAddress(address()).reinterpret(byteSize(), Arena.ofAuto(), _ -> buffer.release());
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Whether a user has closed it, so that it can be used no more. */
    public boolean isClosed() {
        return closed;
    }

    public float[] floats() {
        check(DType.F32);
        return copy(m -> m.toArray(Memory.FLOAT));
    }

    public double[] doubles() {
        check(DType.F64);
        return copy(m -> m.toArray(Memory.DOUBLE));
    }

    public int[] ints() {
        check(DType.I32);
        return copy(m -> m.toArray(Memory.INT));
    }

    public long[] longs() {
        check(DType.I64);
        return copy(m -> m.toArray(Memory.LONG));
    }

    public boolean[] booleans() {
        check(DType.BOOL);
        byte[] bytes = bytes();
        boolean[] b = new boolean[bytes.length];
        for (int i = 0; i < b.length; i++) b[i] = bytes[i] != 0;
        return b;
    }

    public List<String> strings() {
        check(DType.STRING);
        return Arrays.stream(objects())
                .map(o -> new String((byte[]) o, StandardCharsets.UTF_8))
                .toList();
    }

    /** Little-endian bytes, a copy. */
    public byte[] bytes() {
        checkDense();
        return copy(m -> m.toArray(ValueLayout.JAVA_BYTE));
    }

    /** What {@code reader} makes of the memory, which stays while it reads. */
    private <T> T copy(Function<MemorySegment, T> reader) {
        require(
                byteSize() <= Integer.MAX_VALUE * (long) Math.max(1, dtype.size()),
                INVALID_ARGUMENT,
                "Tensor: %s has more elements than an array",
                describe());
        retain();
        try {
            return reader.apply(Memory.ALL.asSlice(address(), byteSize()));
        } finally {
            buffer.release();
            Reference.reachabilityFence(this);
        }
    }

    public void copyTo(FloatBuffer target) {
        check(DType.F32);
        require(
                target.remaining() >= size(),
                INVALID_ARGUMENT,
                "Tensor: %s does not fit a buffer with room for %d",
                describe(),
                target.remaining());
        copy(m -> MemorySegment.ofBuffer(target).copyFrom(m));
        target.position(target.position() + (int) size());
    }

    /** Element {@code i} of a real-valued tensor as a double; bool is 0 or 1. */
    public double getDouble(long i) {
        check(i);
        try {
            return switch (dtype) {
                case F32 -> Memory.getFloat(address + 4 * i);
                case F64 -> Memory.getDouble(address + 8 * i);
                case F16 -> Half.fromF16(Memory.getShort(address + 2 * i));
                case BF16 -> Half.fromBf16(Memory.getShort(address + 2 * i));
                default -> getLong(i);
            };
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Element {@code i} of an integer, quantised or bool tensor; u64 keeps its bits. */
    public long getLong(long i) {
        check(i);
        try {
            return switch (dtype) {
                case I64, U64 -> Memory.getLong(address + 8 * i);
                case I32, QI32 -> Memory.getInt(address + 4 * i);
                case U32 -> Integer.toUnsignedLong(Memory.getInt(address + 4 * i));
                case I16, QI16 -> Memory.getShort(address + 2 * i);
                case U16, QU16 -> Short.toUnsignedLong(Memory.getShort(address + 2 * i));
                case I8, QI8 -> Memory.getByte(address + i);
                case U8, QU8 -> Byte.toUnsignedLong(Memory.getByte(address + i));
                case BOOL -> Memory.getByte(address + i) != 0 ? 1 : 0;
                default -> throw notWhole();
            };
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Sets element {@code i} of a tensor still being made; complex types take the real part. */
    public void set(long i, double value) {
        check(i);
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
        Reference.reachabilityFence(this);
    }

    /** Sets element {@code i} of an integer, quantised or bool tensor still being made, keeping the low bits. */
    public void setLong(long i, long value) {
        check(i);
        switch (dtype.size()) {
            case 1 -> Memory.putByte(address + i, (byte) (dtype == DType.BOOL && value != 0 ? 1 : value));
            case 2 -> Memory.putShort(address + 2 * i, (short) value);
            case 4 -> Memory.putInt(address + 4 * i, (int) value);
            default -> Memory.putLong(address + 8 * i, value);
        }
        Reference.reachabilityFence(this);
    }

    /** A view of the same elements with another shape of the same size, for users: it is closed by itself. */
    public Tensor reshaped(Shape to) {
        return view(to).guarded();
    }

    /** A view of rows {@code [from, from + count)} of the first dimension, for users: it is closed by itself. */
    public Tensor rows(long from, long count) {
        return viewRows(from, count).guarded();
    }

    /** A view with the same bytes as another dtype and shape, for users: it is closed by itself. */
    public Tensor as(DType other, Shape to) {
        return view(other, to).guarded();
    }

    /** A view as of {@link #reshaped} that holds one reference, for its holder to release. */
    public Tensor view(Shape to) {
        if (to.size() != size())
            throw new OxbowException(INVALID_ARGUMENT, "Tensor: cannot view " + describe() + " as " + to);
        return retained(dtype, to, 0);
    }

    /** A view as of {@link #rows} that holds one reference, for its holder to release; of strings and handles, the same ones. */
    public Tensor viewRows(long from, long count) {
        if (shape.rank() < 1 || from < 0 || count < 0 || count > shape.dim(0) - from)
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "Tensor: there are no %d rows from %d on in %s".formatted(count, from, describe()));
        Shape some = shape.withDim(0, count);
        long begin = from == 0 ? 0 : from * shape.size(1, shape.rank());
        if (dtype.isObject()) return new Tensor(dtype, some, Buffer.ofSame(objects(), (int) begin, some.size()));
        return retained(dtype, some, begin * dtype.size());
    }

    /** A view as of {@link #as} that holds one reference, for its holder to release. */
    public Tensor view(DType other, Shape to) {
        if (dtype.isObject() || other.isObject() || MemoryPool.byteSize(other, to) != byteSize())
            throw new OxbowException(INVALID_ARGUMENT, "Tensor: cannot view " + describe() + " as " + other + to);
        return retained(other, to, 0);
    }

    /** A view in another shape, {@code offset} bytes after the start, that is not counted and must not outlive this tensor. */
    public Tensor lent(Shape to, long offset) {
        long bytes = MemoryPool.byteSize(dtype, to);
        return new Tensor(dtype, to, Buffer.lent(space(), place() + offset, bytes));
    }

    /** The same elements in host memory: this tensor, or a copy. The caller owns one reference. */
    public Tensor toHost() {
        return in(MemoryPool.shared(), "host");
    }

    /** The same elements in the space of a pool: this tensor, or a copy there. The caller owns one reference. */
    public Tensor in(MemoryPool pool, Object holder) {
        if (isIn(pool.space())) return retain();
        Tensor copy = pool.tensor(dtype, shape, holder);
        try {
            copyTo(copy);
        } catch (Throwable e) {
            copy.release();
            throw e;
        }
        return copy;
    }

    /** What {@code reader} makes of the elements, which are copied to the host for it if need be. */
    public <T> T onHost(Function<Tensor, T> reader) {
        if (isIn(Space.HOST)) return reader.apply(this);
        Tensor copy = toHost();
        try {
            return reader.apply(copy);
        } finally {
            copy.release();
        }
    }

    /** Whether kernels of that space can work on it; objects are nowhere, so they are everywhere. */
    public boolean isIn(Space space) {
        return buffer.space() == space || dtype.isObject();
    }

    /** Copies all elements to a tensor of the same dtype and as many elements, wherever the two lie. */
    public void copyTo(Tensor target) {
        Space from = space(), to = target.space();
        long bytes = byteSize();
        if (dtype.isObject()) System.arraycopy(objects(), 0, target.objects(), 0, objects().length);
        else if (from == to) to.copy(place(), target.place(), bytes);
        else if (from == Space.HOST) to.copyIn(address, target.place(), bytes);
        else if (to == Space.HOST) from.copyOut(place(), target.address, bytes);
        else if (!to.copyFrom(from, place(), target.place(), bytes)) {
            onHost(between -> {
                between.copyTo(target);
                return target;
            });
        }
    }

    private Tensor retained(DType dtype, Shape shape, long offset) {
        checkOpen();
        buffer.retain();
        Tensor view = new Tensor(dtype, shape, buffer, address + offset);
        Reference.reachabilityFence(this);
        return view;
    }

    /** Another reference to the same elements, to be released by its holder; it outlives a tensor that a user closes. */
    public Tensor retain() {
        if (guard != null) return retained(dtype, shape, 0);
        buffer.retain();
        return this;
    }

    public void release() {
        buffer.release();
    }

    /** This tensor with the Cleaner as backstop, for users; {@link #close} or garbage collection releases the one reference. */
    public Tensor guarded() {
        guard = Guard.of(this, buffer);
        return this;
    }

    /** Whether it is a user's, whose reference a kernel can not give away: it is released when nobody sees this tensor. */
    public boolean isGuarded() {
        return guard != null;
    }

    /** Gives the memory back; only for tensors that a user made or fetched. Closing twice is harmless. */
    @Override
    public void close() {
        if (guard == null) return;
        closed = true;
        guard.clean();
    }

    private void check(DType wanted) {
        if (dtype != wanted)
            throw new OxbowException(INVALID_ARGUMENT, "Tensor: wanted " + wanted + " elements, got " + describe());
    }

    private void checkDense() {
        require(!dtype.isObject(), INVALID_ARGUMENT, "Tensor: elements of %s have no bytes", describe());
    }

    private void checkOpen() {
        if (closed) throw new OxbowException(FAILED_PRECONDITION, "Tensor: " + describe() + " was closed");
    }

    /** Whether element {@code i} is there to be read or written. */
    private void check(long i) {
        if ((i | address) < 0 || i >= shape.size() || closed) throw unreachable(i);
    }

    private OxbowException unreachable(long i) {
        checkOpen();
        String none = "Tensor: there is no element " + i + " in " + describe();
        if (i < 0 || i >= shape.size()) return new OxbowException(INVALID_ARGUMENT, none);
        return dtype.isObject() ? notWhole() : notAddressed();
    }

    private OxbowException notWhole() {
        return new OxbowException(INVALID_ARGUMENT, "Tensor: " + describe() + " has no whole-number elements");
    }

    /** Element type and shape, such as {@code f32[2,3]}: what messages say of a tensor. */
    public String describe() {
        return dtype + shape.toString();
    }

    /** {@link #describe} and the elements, of large tensors a few of them; those on a device are not fetched. */
    @Override
    public String toString() {
        if (!isIn(Space.HOST)) return describe() + " in " + space().name();
        try {
            checkOpen();
            buffer.retain();
        } catch (OxbowException released) {
            return describe() + " (closed)";
        }
        try {
            return TensorText.of(this);
        } finally {
            buffer.release();
            Reference.reachabilityFence(this);
        }
    }
}
