package dev.oxbow.tensor;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Memory of one space in aligned blocks that are kept for reuse, within a budget. Thread-safe. */
public final class MemoryPool {

    /*
     * Page faults cost more than most kernels, so blocks are never given back to the system while the
     * budget has room. Sizes are rounded up to classes, four to each power of two, so that a block
     * wastes less than a fifth and free lists stay short. Blocks below SLAB_LIMIT are cut from slabs,
     * which live as long as the pool, and so as long as any buffer of it; each is twice as large as the one before, since
     * the host clears its memory and a pool that needs little should not have a whole megabyte in its pages;
     * larger ones are allocated one by one, so that trim() can return them. On the host these start at different offsets
     * within a page: a processor takes a load for one of what is being stored at the same offset of another page,
     * and waits for it. Of another space the lowest free block is taken, so that a step finds the places of the last one again.
     */

    private static final int ALIGNMENT = 64;
    private static final long FIRST_SLAB = 1 << 15;
    private static final long SLAB = 1 << 20;
    private static final long SLAB_LIMIT = SLAB / 4;
    /** Under a budget free blocks of one size must not be lost for others, so most can be returned. */
    private static final long BUDGET_SLAB_LIMIT = 1 << 13;

    private static final int CLASSES = 4 * 48;
    private static final int KEPT = -1;
    private static final int FENCED = -2;
    private static final long PAGE = HostSpace.PAGE;
    /** From the offset of one large block to that of the next: 16 blocks pass before they come close again. */
    private static final long STAGGER = 17 * ALIGNMENT;

    /** No machine has more, and no size class is so large that rounding up could overflow. */
    private static final long MOST = 1L << 47;

    /** What all pools have taken of the host's memory. */
    private static final AtomicLong RESERVED = new AtomicLong();

    private static final Set<MemoryPool> POOLS = Collections.newSetFromMap(new WeakHashMap<>());

    private static final MemoryPool SHARED = new MemoryPool("host", Long.MAX_VALUE);

    /** Who holds memory that it can do without. */
    public interface Holder {
        /** Gives it back, since there is too little. */
        void giveBack();
    }

    private final String name;
    private final Space space;
    private final long budget;
    private final long alignment;
    private final boolean fenced;
    private final boolean staggered;
    private final FreeList[] free = new FreeList[CLASSES];
    private final Set<Holder> holders = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private final List<Long> slabs = new ArrayList<>();
    private long slabSize = FIRST_SLAB;
    private long slabAt;
    private long slabEnd;
    private long inUse;
    private long peak;
    private long reserved;
    private boolean closed;
    private long offset;
    private final Buffer live;

    /** A pool of the host's memory. */
    public MemoryPool(String name, long budgetInBytes) {
        this(name, Space.HOST, budgetInBytes);
    }

    public MemoryPool(String name, Space space, long budgetInBytes) {
        this.name = name;
        this.space = space;
        this.alignment = space.alignment();
        this.staggered = space == Space.HOST;
        this.fenced = Fence.ON && space == Space.HOST;
        this.budget = budgetInBytes;
        this.live = block(0, 0);
        live.previous = live;
        live.next = live;
        synchronized (POOLS) {
            POOLS.add(this);
        }
    }

    /** The pool of tensors that users make, without a budget. */
    public static MemoryPool shared() {
        return SHARED;
    }

    /** A block of at least {@code bytes}, not cleared, with one reference; {@code holder} names it in reports. */
    public Buffer allocate(long bytes, Object holder) {
        checkSize(bytes, holder);
        if (fenced) return retried(() -> takeFenced(bytes, holder));
        int sizeClass = sizeClass(Math.max(bytes, alignment));
        long size = classSize(sizeClass);
        synchronized (this) {
            FreeList list = free[sizeClass];
            if (list != null && list.count > 0)
                return handedOut(block(list.places[--list.count], size), holder, sizeClass);
        }
        return retried(() -> handedOut(block(take(sizeClass, size, holder), size), holder, sizeClass));
    }

    private Buffer block(long place, long size) {
        return new Buffer(this, space, place, size, null);
    }

    /** Has every pool give back what it keeps for reuse; whether that was anything. */
    private static boolean trimAll() {
        long before = RESERVED.get();
        List<MemoryPool> all;
        synchronized (POOLS) {
            all = List.copyOf(POOLS);
        }
        all.forEach(MemoryPool::trim);
        return RESERVED.get() < before;
    }

    private void checkSize(long bytes, Object holder) {
        if (bytes < 0 || bytes > MOST)
            throw new OxbowException(
                    RESOURCE_EXHAUSTED,
                    "%s: %s wants %,d bytes, more than any machine has (%,d)".formatted(name, holder, bytes, MOST));
    }

    /** A block, if need be after all pools gave back what they keep and the collector what users have forgotten. */
    private Buffer retried(Supplier<Buffer> allocation) {
        try {
            synchronized (this) {
                return allocation.get();
            }
        } catch (OxbowException e) {
            if (e.code() != RESOURCE_EXHAUSTED || !(reclaim() | trimAll() | Guard.collect())) throw e;
        }
        synchronized (this) {
            return allocation.get();
        }
    }

    /** Has all holders give back what they can do without; whether that was anything. */
    public boolean reclaim() {
        long before = bytesInUse();
        for (Holder h : holders.toArray(Holder[]::new)) h.giveBack();
        return bytesInUse() < before;
    }

    /** Has {@code h}, as long as anybody knows it, be asked before an allocation fails. */
    public void addHolder(Holder h) {
        holders.add(h);
    }

    /**
     * A block that will be kept long: under a budget it takes hardly more than {@code bytes}, and goes back to the system
     * when it is released.
     */
    public Buffer allocateKept(long bytes, Object holder) {
        if (budget == Long.MAX_VALUE || fenced) return allocate(bytes, holder);
        checkSize(bytes, holder);
        long size = aligned(bytes);
        return retried(() -> {
            makeRoom(size, holder);
            Buffer b = block(fromSpace(size, holder), size);
            reserve(size);
            return handedOut(b, holder, KEPT);
        });
    }

    private Buffer takeFenced(long bytes, Object holder) {
        makeRoom(bytes, holder);
        try {
            Buffer b = block(Fence.allocate(bytes), bytes);
            reserve(bytes);
            return handedOut(b, holder, FENCED);
        } catch (OutOfMemoryError e) {
            throw noMore(bytes, holder, e);
        }
    }

    /** Fails unless {@code size} more bytes fit the budget and the machine, if need be after giving back what is kept for reuse. */
    private void makeRoom(long size, Object holder) {
        if (size > budget - reserved || size > leftOnHost()) trim();
        if (size > budget - reserved) throw exhausted(size, holder, "");
        if (size > leftOnHost())
            throw exhausted(
                    size,
                    holder,
                    "; %,d of the %,d bytes of this machine are taken".formatted(RESERVED.get(), Machine.MEMORY));
    }

    private long leftOnHost() {
        return space == Space.HOST ? Machine.MEMORY - RESERVED.get() : Long.MAX_VALUE;
    }

    private void reserve(long size) {
        reserved += size;
        if (space == Space.HOST) RESERVED.addAndGet(size);
    }

    private long fromSpace(long size, Object holder) {
        try {
            return space.allocate(size);
        } catch (OutOfMemoryError e) {
            throw noMore(size, holder, e);
        }
    }

    private Buffer handedOut(Buffer b, Object holder, int sizeClass) {
        b.holder = holder;
        b.sizeClass = sizeClass;
        b.next = live.next;
        b.previous = live;
        live.next.previous = b;
        live.next = b;
        inUse += b.size();
        peak = Math.max(peak, inUse);
        return b;
    }

    /** A tensor with memory of this pool, not cleared, or with null objects; the caller owns its one reference. */
    public Tensor tensor(DType dtype, Shape shape, Object holder) {
        if (dtype.isObject())
            return new Tensor(dtype, shape, Buffer.ofObjects(Counts.array(shape.size(), Object[]::new)));
        return new Tensor(dtype, shape, allocate(byteSize(dtype, shape), holder));
    }

    /** The bytes of a dense tensor; fails when they do not fit 63 bits. */
    public static long byteSize(DType dtype, Shape shape) {
        long n = shape.size();
        if (n > Long.MAX_VALUE / Math.max(1, dtype.size())) {
            throw new OxbowException(RESOURCE_EXHAUSTED, "a tensor of " + dtype + shape + " is larger than 2^63 bytes");
        }
        return n * dtype.size();
    }

    /** The bytes that a request for {@code bytes} takes from the budget: sizes are rounded up. */
    public static long blockSize(long bytes) {
        return bytes > MOST || Fence.ON ? bytes : classSize(sizeClass(bytes));
    }

    public String name() {
        return name;
    }

    /** Where its memory lies. */
    public Space space() {
        return space;
    }

    public long budgetInBytes() {
        return budget;
    }

    /** Bytes handed out and not yet released. */
    public synchronized long bytesInUse() {
        return inUse;
    }

    /** The most that was in use at once. */
    public synchronized long peakBytes() {
        return peak;
    }

    /** Bytes taken from the system, in use or kept for reuse. */
    public synchronized long bytesReserved() {
        return reserved;
    }

    /** Gives blocks that are kept for reuse and not part of a slab back to the space. */
    public synchronized void trim() {
        for (int c = 0; c < CLASSES; c++) {
            FreeList list = free[c];
            if (list == null || list.inSlabs) continue;
            for (int i = 0; i < list.count; i++) {
                space.free(staggered ? list.places[i] / PAGE * PAGE : list.places[i]);
                reserve(-classSize(c));
            }
            list.count = 0;
        }
    }

    /** Gives everything back to the system as soon as nothing is in use any more; the pool can still be used. */
    public synchronized void close() {
        closed = true;
        if (inUse == 0) giveBack();
    }

    private void giveBack() {
        trim();
        for (FreeList list : free) if (list != null) list.count = 0;
        slabs.forEach(space::free);
        slabs.clear();
        slabAt = slabEnd = 0;
        slabSize = FIRST_SLAB;
        reserve(-reserved);
    }

    synchronized void free(Buffer b) {
        b.previous.next = b.next;
        b.next.previous = b.previous;
        inUse -= b.size();
        if (b.sizeClass == FENCED) {
            Fence.free(b.place());
            reserve(-b.size());
        } else if (b.sizeClass == KEPT) {
            space.free(b.place());
            reserve(-b.size());
        } else free[b.sizeClass].push(b.place(), !staggered);
        if (closed && inUse == 0) giveBack();
    }

    private long take(int sizeClass, long size, Object holder) {
        FreeList list = free[sizeClass];
        if (list == null)
            list = free[sizeClass] = new FreeList(size < (budget < Long.MAX_VALUE ? BUDGET_SLAB_LIMIT : SLAB_LIMIT));
        if (list.count > 0) return list.places[--list.count];
        makeRoom(size, holder);
        long place;
        if (list.inSlabs) {
            if (slabEnd - slabAt < size) addSlab(size, holder);
            place = slabAt;
            slabAt += aligned(size);
        } else {
            place = staggered ? fromSpace(size + PAGE, holder) + offset : fromSpace(size, holder);
            offset = (offset + STAGGER) % PAGE;
        }
        reserve(size);
        return place;
    }

    private long aligned(long size) {
        return (size + alignment - 1) & -alignment;
    }

    private void addSlab(long size, Object holder) {
        while (slabSize < size) slabSize *= 2;
        slabAt = fromSpace(slabSize, holder);
        slabs.add(slabAt);
        slabEnd = slabAt + slabSize;
        slabSize = Math.min(SLAB, 2 * slabSize);
    }

    private OxbowException noMore(long size, Object holder, OutOfMemoryError e) {
        return new OxbowException(
                RESOURCE_EXHAUSTED,
                exhausted(size, holder, "; the system has no more").getMessage(),
                e);
    }

    private OxbowException exhausted(long size, Object holder, String why) {
        Map<String, Long> bytes = new HashMap<>();
        for (Buffer b = live.next; b != live; b = b.next) bytes.merge(String.valueOf(b.holder), b.size(), Long::sum);
        List<Map.Entry<String, Long>> largest = new ArrayList<>(bytes.entrySet());
        largest.sort(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()));
        String holders = largest.stream()
                .limit(5)
                .map(e -> "%s %,d".formatted(e.getKey(), e.getValue()))
                .collect(Collectors.joining("; "));
        return new OxbowException(
                RESOURCE_EXHAUSTED,
                "%s: out of memory: %s wants %,d bytes, %,d %sare in use%s%s"
                        .formatted(
                                name,
                                holder,
                                size,
                                inUse,
                                budget == Long.MAX_VALUE ? "" : "of a budget of %,d ".formatted(budget),
                                holders.isEmpty() ? "" : "; largest holders: " + holders,
                                why));
    }

    private static int sizeClass(long bytes) {
        long units = Math.max(1, (bytes + ALIGNMENT - 1) / ALIGNMENT);
        if (units <= 4) return (int) units - 1;
        int log = 63 - Long.numberOfLeadingZeros(units - 1);
        return 4 * (log - 1) + (int) ((units - 1 >>> log - 2) & 3);
    }

    private static long classSize(int sizeClass) {
        if (sizeClass < 4) return (sizeClass + 1) * (long) ALIGNMENT;
        int log = sizeClass / 4 + 1;
        return (4L + sizeClass % 4 + 1 << log - 2) * ALIGNMENT;
    }
}
