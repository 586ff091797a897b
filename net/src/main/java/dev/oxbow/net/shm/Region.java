package dev.oxbow.net.shm;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.ring.Ring;
import dev.oxbow.tensor.Memory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ThreadLocalRandom;

/** The memory of one rank, in a file that every rank of its host maps. */
final class Region implements AutoCloseable {

    /*
     * The file: a header, a ring for each rank from which bytes come, and the arena. The header's first 128 bytes say what
     * the file is and never change; the next 128 hold the word on which the rank sleeps and how much of its arena is
     * allocated; then one word for each rank, in which it puts the number of its own region when it has mapped this one.
     *
     * All that will be touched is written to once through the file, since a file system that is full then gives an
     * error, whereas a page that can not be had when memory is touched ends the process.
     */

    private static final long MAGIC = 0x31576f6278784f01L;
    private static final long RANK = 8;
    private static final long SIZE = 16;
    private static final long RING_BYTES = 24;
    private static final long ARENA_BYTES = 32;
    private static final long PID = 40;
    private static final long START = 48;
    private static final long NAMESPACE = 56;
    private static final long NUMBER = 64;
    private static final long SLEEPING = 128;
    private static final long ALLOCATED = 136;
    private static final long MAPPED = 256;
    private static final int ASLEEP = 1;
    private static final int ASLEEP_ELSEWHERE = 2;
    private static final long PAGE = 4096;
    private static final long ALIGNMENT = 128;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final Arena lifetime;
    private final FileChannel channel;
    private final long base;
    private final int rank;
    private final int size;
    private final long ringBytes;
    private final long arenaBytes;
    private final ProcessId process;
    private final long number;

    private Region(Arena lifetime, FileChannel channel, MemorySegment memory) {
        this.lifetime = lifetime;
        this.channel = channel;
        base = memory.address();
        rank = (int) Memory.getLong(base + RANK);
        size = (int) Memory.getLong(base + SIZE);
        ringBytes = Memory.getLong(base + RING_BYTES);
        arenaBytes = Memory.getLong(base + ARENA_BYTES);
        process = new ProcessId(
                Memory.getLong(base + PID), Memory.getLong(base + START), Memory.getLong(base + NAMESPACE));
        number = Memory.getLong(base + NUMBER);
    }

    /** Makes the file of this process's rank, which only its user can open. */
    static Region create(Path file, int rank, int size, long ringBytes, long arenaBytes) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena lifetime = Arena.ofShared();
        try {
            long length = length(size, ringBytes, arenaBytes);
            reserve(channel, 0, rings(size));
            for (int from = 0; from < size; from++) {
                long at = rings(size) + from * (Ring.HEADER + ringBytes);
                if (from != rank) reserve(channel, at, Ring.HEADER + ringBytes);
            }
            MemorySegment memory = channel.map(MapMode.READ_WRITE, 0, length, lifetime);
            long base = memory.address();
            Memory.putLong(base + RANK, rank);
            Memory.putLong(base + SIZE, size);
            Memory.putLong(base + RING_BYTES, ringBytes);
            Memory.putLong(base + ARENA_BYTES, arenaBytes);
            Memory.putLong(base + PID, ProcessId.self().pid());
            Memory.putLong(base + START, ProcessId.self().start());
            Memory.putLong(base + NAMESPACE, ProcessId.self().namespace());
            Memory.putLong(base + NUMBER, ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
            LONG.setRelease(Memory.ALL, base, MAGIC);
            return new Region(lifetime, channel, memory);
        } catch (IOException | RuntimeException e) {
            lifetime.close();
            channel.close();
            throw e;
        }
    }

    /** Maps the file of a rank; null when there is none. */
    static Region open(Path file) throws IOException {
        Arena lifetime = Arena.ofShared();
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            long length = channel.size();
            require(length >= PAGE, UNAVAILABLE, "shm: %s is too short for a region: %d bytes", file, length);
            Region region = new Region(lifetime, null, channel.map(MapMode.READ_WRITE, 0, length, lifetime));
            region.check(file, length);
            return region;
        } catch (NoSuchFileException e) {
            lifetime.close();
            return null;
        } catch (IOException | RuntimeException e) {
            lifetime.close();
            throw e;
        }
    }

    private void check(Path file, long length) {
        boolean sane = (long) LONG.getAcquire(Memory.ALL, base) == MAGIC
                && size > 0
                && rank >= 0
                && rank < size
                && Long.bitCount(ringBytes) == 1
                && ringBytes >= 64
                && ringBytes <= 1 << 30
                && arenaBytes >= 0
                && length == length(size, ringBytes, arenaBytes);
        require(sane, UNAVAILABLE, "shm: %s is no region of a rank", file);
    }

    private static long rings(int size) {
        return up(MAPPED + 8L * size);
    }

    private static long arena(int size, long ringBytes) {
        return up(rings(size) + size * (Ring.HEADER + ringBytes));
    }

    /** What the region of a rank takes from the start. */
    static long reserved(int size, long ringBytes) {
        return rings(size) + (size - 1) * (Ring.HEADER + ringBytes);
    }

    private static long length(int size, long ringBytes, long arenaBytes) {
        return arena(size, ringBytes) + up(arenaBytes);
    }

    private static long up(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    static void reserve(FileChannel channel, long from, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(bytes, 1 << 20));
        for (long done = 0; done < bytes; ) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - done));
            done += channel.write(zeros, from + done);
        }
    }

    int rank() {
        return rank;
    }

    int size() {
        return size;
    }

    ProcessId process() {
        return process;
    }

    long number() {
        return number;
    }

    /** A view of the ring through which {@code from} writes to this region's rank. */
    Ring ring(int from) {
        return new Ring(base + rings(size) + from * (Ring.HEADER + ringBytes), ringBytes);
    }

    /** Says that a rank has mapped this region. */
    void markMapped(int by, long number) {
        LONG.setRelease(Memory.ALL, base + MAPPED + 8L * by, number);
    }

    boolean isMapped(int by, long number) {
        return (long) LONG.getAcquire(Memory.ALL, base + MAPPED + 8L * by) == number;
    }

    /** Announces that the rank sleeps unless something comes; to be followed by a last look. */
    void announceSleep(boolean elsewhere) {
        INT.setVolatile(Memory.ALL, base + SLEEPING, elsewhere ? ASLEEP_ELSEWHERE : ASLEEP);
        VarHandle.fullFence();
    }

    void sleep(long nanos, long time) {
        Futex.sleep(base + SLEEPING, ASLEEP, nanos, time);
    }

    void endSleep() {
        INT.setVolatile(Memory.ALL, base + SLEEPING, 0);
    }

    /**
     * Wakes the rank if it sleeps; to be called after what it waits for was stored. Whether it sleeps elsewhere, so that
     * the caller must wake it.
     */
    boolean wake() {
        VarHandle.fullFence();
        int state = (int) INT.getOpaque(Memory.ALL, base + SLEEPING);
        if (state == 0) return false;
        INT.setVolatile(Memory.ALL, base + SLEEPING, 0);
        Futex.wake(base + SLEEPING);
        return state == ASLEEP_ELSEWHERE;
    }

    /** Zeroed memory of this process's own arena, or 0 when the arena ends before. */
    long allocate(long bytes) throws IOException {
        long at = Memory.getLong(base + ALLOCATED);
        if (bytes < 0 || bytes > arenaBytes - at) return 0;
        long n = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        reserve(channel, arena(size, ringBytes) + at, n);
        LONG.setRelease(Memory.ALL, base + ALLOCATED, at + n);
        return base + arena(size, ringBytes) + at;
    }

    /** Where allocated memory lies in the arena, or -1 when it is other memory. */
    long offset(long address, long length) {
        long offset = address - base - arena(size, ringBytes);
        return isAllocated(offset, length) ? offset : -1;
    }

    boolean isAllocated(long offset, long length) {
        long allocated = Math.min((long) LONG.getAcquire(Memory.ALL, base + ALLOCATED), up(arenaBytes));
        return offset >= 0 && length >= 0 && offset <= allocated && length <= allocated - offset;
    }

    long address(long offset) {
        return base + arena(size, ringBytes) + offset;
    }

    @Override
    public void close() {
        lifetime.close();
        try {
            if (channel != null) channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
