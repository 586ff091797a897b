package dev.oxbow.net.tcp;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;

/** Bytes that have come and wait in one piece to be taken. Its memory exists from the first byte on. */
final class Received {
    private final int capacity;
    private Buffer memory;
    private int from;
    private int to;

    Received(int capacity) {
        this.capacity = capacity;
    }

    int available() {
        return to - from;
    }

    long address() {
        return memory == null ? 0 : memory.address() + from;
    }

    void skip(long length) {
        if (length < 0 || length > to - from) {
            throw new IllegalArgumentException("skip of %d with %d bytes available".formatted(length, to - from));
        }
        from += (int) length;
    }

    /** Moves up to {@code length} bytes to {@code address}; how many. */
    int drain(long address, long length) {
        int n = (int) Math.min(length, to - from);
        if (n > 0) {
            Memory.copy(memory.address() + from, address, n);
            from += n;
        }
        return n;
    }

    /** Whether there is memory already, so that reading ahead holds no more. */
    boolean isAllocated() {
        return memory != null;
    }

    /** Where the next bytes go; moves to the front when all were taken. */
    long end() {
        if (memory == null) memory = MemoryPool.shared().allocate(capacity, "tcp: received");
        if (from == to) from = to = 0;
        return memory.address() + to;
    }

    /** Moves what waits to the front. */
    void compact() {
        if (from == 0) return;
        Memory.copy(memory.address() + from, memory.address(), to - from);
        to -= from;
        from = 0;
    }

    /** Room behind {@link #end}. */
    int room() {
        return capacity - (from == to ? 0 : to);
    }

    /** Says that {@code n} bytes were put at {@link #end}. */
    void added(int n) {
        to += n;
    }

    void close() {
        if (memory != null) memory.release();
        memory = null;
        from = to = 0;
    }
}
