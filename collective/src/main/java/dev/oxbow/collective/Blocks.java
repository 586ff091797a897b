package dev.oxbow.collective;

import dev.oxbow.net.Transport;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Memory for messages, visible to peers in place where the transport shares any. Blocks are powers of two and are kept for
 * reuse until the communicator closes, since shared memory can not be given back one by one.
 */
final class Blocks implements AutoCloseable {
    private static final int SMALLEST = 8;

    private final Transport transport;
    private final List<Buffer> own = new ArrayList<>();
    private final long[][] free = new long[64][];
    private final int[] count = new int[64];
    private long taken;

    Blocks(Transport transport) {
        this.transport = transport;
    }

    /** At least so many bytes, not cleared. */
    long take(long bytes) {
        int c = sizeClass(bytes);
        taken++;
        if (count[c] > 0) return free[c][--count[c]];
        long shared = transport.allocateShared(1L << c);
        if (shared != 0) return shared;
        Buffer buffer = MemoryPool.shared().allocate(1L << c, "communicator");
        own.add(buffer);
        return buffer.address();
    }

    /** Zeroed memory of exactly so many bytes, which stays until the end. */
    long keep(long bytes) {
        long shared = transport.allocateShared(bytes);
        if (shared != 0) return shared;
        Buffer buffer = MemoryPool.shared().allocate(bytes, "communicator");
        own.add(buffer);
        Memory.zero(buffer.address(), bytes);
        return buffer.address();
    }

    /** Gives back what {@link #take} gave for the same number of bytes. */
    void give(long address, long bytes) {
        int c = sizeClass(bytes);
        taken--;
        if (free[c] == null) free[c] = new long[4];
        if (count[c] == free[c].length) free[c] = Arrays.copyOf(free[c], 2 * count[c]);
        free[c][count[c]++] = address;
    }

    /** How many blocks are in use. */
    long inUse() {
        return taken;
    }

    private static int sizeClass(long bytes) {
        return Math.max(SMALLEST, 64 - Long.numberOfLeadingZeros(Math.max(bytes, 1) - 1));
    }

    @Override
    public void close() {
        own.forEach(Buffer::release);
        own.clear();
    }
}
