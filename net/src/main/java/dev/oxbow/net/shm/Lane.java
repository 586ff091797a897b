package dev.oxbow.net.shm;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Link;
import dev.oxbow.net.ring.Ring;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bytes from one process of a host to another through a ring in memory that both see, beside a connection that has all
 * else: who sleeps is woken by that, and the end of a process is seen there. The reader makes it, the writer finds it by
 * name, and a writer on another host finds nothing.
 */
public final class Lane implements Link {

    /*
     * The file: magic, number, capacity; in the second and third 128 bytes a word each in which reader and writer say that
     * they sleep, and the core that they were last seen on, counted from 1; from 512 on the ring. Its name is that of a draft of Formation, so that whoever sweeps finds it when its
     * process died before the writer had it; from then on it has no name.
     */

    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);
    private static final long MAGIC = 0x316e614c78784f02L;
    private static final long NUMBER = 8, CAPACITY = 16, READER = 128, WRITER = 256, CORE = 8, RING = 512;

    /** The ends of a lane are parted this often at most. */
    private static final long PARTED_NANOS = 1_000_000;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    /** What is read is given back this often within a large copy, so that both sides copy at the same time. */
    private static final long PIECE = 128 << 10;

    private final Arena lifetime;
    private final long base;
    private final Path file;
    private final boolean reads;
    private final Ring ring;
    private boolean rings;
    private long parted;
    private long copied;
    private boolean closed;

    private Lane(Arena lifetime, MemorySegment memory, Path file, boolean reads) {
        this.lifetime = lifetime;
        this.base = memory.address();
        this.file = file;
        this.reads = reads;
        this.ring = new Ring(base + RING, Memory.getLong(base + CAPACITY));
    }

    /** Makes the reader's end, of a power of two of bytes; null where this host has no memory to share. */
    public static Lane create(ShmConfig config, long capacity) {
        if (!Memory.isNative()) return null;
        ProcessId self = ProcessId.self();
        long number = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        Path file = config.directory()
                .resolve(Formation.PREFIX + Formation.DRAFT.formatted(self.namespace(), self.pid(), number));
        Arena lifetime = Arena.ofShared();
        try {
            sweep(config.directory());
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                long length = RING + Ring.HEADER + capacity;
                Region.reserve(channel, 0, length);
                MemorySegment memory = channel.map(MapMode.READ_WRITE, 0, length, lifetime);
                Memory.putLong(memory.address() + NUMBER, number);
                Memory.putLong(memory.address() + CAPACITY, capacity);
                LONG.setRelease(Memory.ALL, memory.address(), MAGIC);
                return new Lane(lifetime, memory, file, true);
            }
        } catch (IOException | UnsupportedOperationException e) {
            LOG.warn("shm: no memory is shared with another process, since {}", e.toString());
            lifetime.close();
            remove(file);
            return null;
        }
    }

    /** Finds the writer's end of a lane; null when it is not on this host, or not for this user. */
    public static Lane open(ShmConfig config, String name, long number) {
        if (!Memory.isNative() || !Formation.DRAFT_NAME.matcher(name).matches()) return null;
        Path file = config.directory().resolve(name);
        Arena lifetime = Arena.ofShared();
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            long length = channel.size(), capacity = length - RING - Ring.HEADER;
            if (Long.bitCount(capacity) == 1 && capacity >= 64 && capacity <= 1 << 30) {
                MemorySegment memory = channel.map(MapMode.READ_WRITE, 0, length, lifetime);
                long base = memory.address();
                if ((long) LONG.getAcquire(Memory.ALL, base) == MAGIC
                        && Memory.getLong(base + NUMBER) == number
                        && Memory.getLong(base + CAPACITY) == capacity) return new Lane(lifetime, memory, file, false);
            }
        } catch (IOException e) {
            LOG.debug("shm: {} is not to be had: {}", file, e.toString());
        }
        lifetime.close();
        return null;
    }

    /** Removes what processes have left that ended between making a lane and giving it away. */
    private static void sweep(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, Formation.PREFIX + "*.new")) {
            for (Path f : files) {
                var m = Formation.DRAFT_NAME.matcher(f.getFileName().toString());
                if (m.matches() && Formation.isGone(m.group(1), m.group(2))) Files.deleteIfExists(f);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("shm: {} is left: {}", file, e.toString());
        }
    }

    /** Its name, for the writer. */
    public String name() {
        return file.getFileName().toString();
    }

    /** What tells it from a file of that name on another host. */
    public long number() {
        return Memory.getLong(base + NUMBER);
    }

    /** Takes its name away: the writer has it, or will not. */
    public void unlink() {
        remove(file);
    }

    @Override
    public long write(long address, long length) {
        checkOpen();
        if (reads) throw wrongWay();
        if (ring.left()) throw broken("closed the connection");
        long n = ring.write(address, length);
        if (n > 0) {
            rings |= awoken(READER);
            LONG.setOpaque(Memory.ALL, base + WRITER + CORE, 1L + Cores.here());
        }
        copied += n;
        return n;
    }

    @Override
    public boolean flush() {
        return true;
    }

    @Override
    public long available() {
        checkOpen();
        return reads ? ring.available() : 0;
    }

    @Override
    public long address() {
        return ring.address();
    }

    @Override
    public void skip(long length) {
        checkOpen();
        if (ring.skip(length)) rings |= awoken(WRITER);
    }

    @Override
    public long read(long address, long length) {
        long done = 0;
        while (done < length) {
            long n = Math.min(Math.min(length - done, PIECE), available());
            if (n == 0) break;
            Memory.copy(ring.address(), address + done, n);
            skip(n);
            done += n;
        }
        copied += done;
        return done;
    }

    /** Reader, which waits for bytes that are on their way: leaves the core of the writer to it, so that both copy at once. */
    public void part(long now) {
        if (closed || now - parted < PARTED_NANOS) return;
        int here = Cores.here();
        if (here < 0 || (long) LONG.getOpaque(Memory.ALL, base + WRITER + CORE) != here + 1) return;
        parted = now;
        Cores.leave(here);
    }

    /** How many bytes were copied on this side. */
    public long copied() {
        return copied;
    }

    /** Whether the other end sleeps and must be woken by other means; tells so once. */
    public boolean mustRing() {
        boolean must = rings;
        rings = false;
        return must;
    }

    private boolean awoken(long word) {
        VarHandle.fullFence();
        if ((long) LONG.getOpaque(Memory.ALL, base + word) == 0) return false;
        LONG.setVolatile(Memory.ALL, base + word, 0L);
        return true;
    }

    /** Announces that this side sleeps unless something comes; whether it has. */
    public boolean announceSleep() {
        if (closed) return false;
        LONG.setVolatile(Memory.ALL, base + (reads ? READER : WRITER), 1L);
        VarHandle.fullFence();
        return reads ? ring.news() : ring.relieved();
    }

    public void endSleep() {
        if (!closed) LONG.setVolatile(Memory.ALL, base + (reads ? READER : WRITER), 0L);
    }

    @Override
    public String peer() {
        return "a process of this host";
    }

    private void checkOpen() {
        require(!closed, UNAVAILABLE, "the lane was closed on this side");
    }

    private static OxbowException wrongWay() {
        return new OxbowException(INTERNAL, "shm: a lane goes one way");
    }

    @Override
    public void close() {
        if (closed) return;
        closed = true;
        if (reads) {
            ring.leave();
            remove(file);
        } else ring.end();
        lifetime.close();
    }
}
