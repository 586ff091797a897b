package dev.oxbow.net.memory;

import static dev.oxbow.net.ring.Ring.HEADER;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;

/** The memory of the two rings between two ranks, freed when both have closed their side. */
final class Wire {
    private final Buffer memory;
    private final long upward;
    private final long downward;
    private int open = 2;

    Wire(long capacity, int low, int high) {
        memory = MemoryPool.shared().allocate(2 * (HEADER + capacity) + 128, "link of ranks " + low + " and " + high);
        upward = (memory.address() + 127) / 128 * 128;
        downward = upward + HEADER + capacity;
        Memory.zero(upward, HEADER);
        Memory.zero(downward, HEADER);
    }

    /** The ring that the lower or the higher of the two ranks writes. */
    long ring(boolean writtenByLower) {
        return writtenByLower ? upward : downward;
    }

    /** One side needs it no more. */
    synchronized void release() {
        if (--open == 0) memory.release();
    }
}
