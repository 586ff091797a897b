package dev.oxbow.tensor;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** Reference-counted storage of tensors: a block of a space's memory, or an array of objects. Starts with one reference. */
public final class Buffer {
    private static final AtomicIntegerFieldUpdater<Buffer> REFERENCES =
            AtomicIntegerFieldUpdater.newUpdater(Buffer.class, "references");
    private static final AtomicIntegerFieldUpdater<Buffer> GUARDS =
            AtomicIntegerFieldUpdater.newUpdater(Buffer.class, "guards");

    /** The bit that keeps places the host can not address apart: no segment has a negative address. */
    private static final long ELSEWHERE = Long.MIN_VALUE;

    private final MemoryPool pool;
    private final Space space;

    /** Negative for objects and in other spaces than the host's. */
    final long address;

    private final long size;
    private final Object[] objects;
    private volatile int references = 1;
    private volatile int guards;

    /** Who asked for the memory, for the out-of-memory report; any object whose toString names it. */
    Object holder;

    int sizeClass;
    Buffer previous;
    Buffer next;

    Buffer(MemoryPool pool, Space space, long place, long size, Object[] objects) {
        this.pool = pool;
        this.space = space;
        this.address = space == Space.HOST && objects == null ? place : place | ELSEWHERE;
        this.size = size;
        this.objects = objects;
    }

    /** Memory of the host that somebody owns and lends for the length of a step; it is not counted, and must be copied to outlive the step. */
    public static Buffer lent(long address, long size) {
        return lent(Space.HOST, address, size);
    }

    /** The same anywhere. */
    public static Buffer lent(Space space, long place, long size) {
        return new Buffer(null, space, place, size, null);
    }

    /** A part of this memory, lent. */
    public Buffer lend(long offset, long size) {
        return lent(space, place() + offset, size);
    }

    /** Storage for objects; elements that are {@link Counted} are released with it. */
    public static Buffer ofObjects(Object[] objects) {
        return new Buffer(null, Space.HOST, 0, 0, objects);
    }

    /** Storage for some of the objects of another, each with one more reference. */
    static Buffer ofSame(Object[] objects, int from, long count) {
        Object[] same = Arrays.copyOfRange(objects, from, (int) (from + count), Object[].class);
        for (Object o : same) if (o instanceof Counted c) c.retain();
        return ofObjects(same);
    }

    /** The host's address; objects and memory of other spaces have none. */
    public long address() {
        if (address < 0) throw new OxbowException(ErrorCode.UNIMPLEMENTED, "Buffer: " + holder + " has no address");
        return address;
    }

    public Space space() {
        return space;
    }

    /** The address in its space. */
    public long place() {
        return place(address);
    }

    static long place(long address) {
        return address & ~ELSEWHERE;
    }

    public long size() {
        return size;
    }

    /** The elements of a string, resource or variant tensor; null for dense memory. */
    public Object[] objects() {
        return objects;
    }

    /** Whether a frame lends this memory, so that keeping it needs a copy. */
    public boolean isLent() {
        return pool == null && objects == null;
    }

    /** Whether nobody else holds a reference, so that the holder may overwrite the memory. */
    public boolean isUnique() {
        return references == 1 && !isLent();
    }

    public void retain() {
        if (isLent()) return;
        if (REFERENCES.getAndIncrement(this) <= 0) {
            REFERENCES.decrementAndGet(this);
            throw new OxbowException(ErrorCode.INTERNAL, "Buffer: retained after it was released (" + holder + ")");
        }
    }

    public void release() {
        if (isLent()) return;
        int left = REFERENCES.decrementAndGet(this);
        if (left > 0) return;
        if (left < 0) throw new OxbowException(ErrorCode.INTERNAL, "Buffer: released twice (" + holder + ")");
        if (objects != null) {
            for (Object o : objects) if (o instanceof Counted c) c.release();
        } else {
            pool.free(this);
        }
    }

    /** Counts a user's tensor over this memory; whether it is the first. */
    boolean addGuard() {
        return GUARDS.getAndIncrement(this) == 0;
    }

    /** Takes back {@link #addGuard}; whether it was the last. */
    boolean removeGuard() {
        return GUARDS.decrementAndGet(this) == 0;
    }
}
