package dev.oxbow.net.ring;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** One side's view of a queue of bytes from one writer to one reader, in memory that two processes may share. */
public final class Ring {

    /*
     * Memory: 128 bytes that the writer writes (tail, ended, starved), 128 that the reader writes (head, left), then the
     * bytes. 128 and not 64, since processors fetch cache lines in pairs. tail and head count all bytes ever written and
     * read. Each side keeps its own count here and never reads it back, and checks the other's count against it: a peer
     * that stores nonsense causes an error, never an address outside the ring.
     *
     * A writer that was refused sets starved. The reader looks at starved after it has moved head, with a full fence in
     * between, and reports to its caller that the writer wants to be woken once a quarter is free. A writer that goes to
     * sleep announces that, fences, and asks relieved() again. So one of the two always sees the other.
     *
     * news() and relieved() tell of each change once. A caller that leaves bytes in the ring on purpose can therefore
     * sleep; one that wants to be woken again must have asked for more than there was.
     */

    /** The bytes before the data. */
    public static final long HEADER = 256;

    private static final long TAIL = 0;
    private static final long ENDED = 8;
    private static final long STARVED = 16;
    private static final long HEAD = 128;
    private static final long LEFT = 136;

    /** Counts are published at least this often within a large copy, so that both sides copy at the same time. */
    private static final long PIECE = 128 << 10;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final long base;
    private final long data;
    private final long capacity;
    private final long piece;
    /** As far as this side knows; the own one is always right. */
    private long head;

    private long tail;
    private long tailSeen;
    private boolean endSeen;
    private boolean refused;

    /** A view of zeroed memory at a multiple of 128, of {@link #HEADER} and a power of two of bytes. */
    public Ring(long address, long capacity) {
        require(
                address > 0 && address % 128 == 0 && Long.bitCount(capacity) == 1 && capacity >= 64,
                INVALID_ARGUMENT,
                "Ring: needs an address that is a multiple of 128 and a power of two of bytes, got %d and %d",
                address,
                capacity);
        base = address;
        data = address + HEADER;
        this.capacity = capacity;
        piece = Math.min(PIECE, capacity / 4);
    }

    /** Writer: takes up to {@code length} bytes, at most one capacity of them at a time, and returns how many. */
    public long write(long address, long length) {
        long most = Math.min(length, capacity);
        long taken = 0;
        while (taken < most) {
            long room = capacity - (tail - head);
            if (room < Math.min(most - taken, piece)) {
                refreshHead();
                room = capacity - (tail - head);
                if (room == 0) break;
            }
            long at = tail & capacity - 1;
            long n = Math.min(Math.min(most - taken, piece), Math.min(room, capacity - at));
            Memory.copy(address + taken, data + at, n);
            tail += n;
            taken += n;
            LONG.setRelease(Memory.ALL, base + TAIL, tail);
        }
        refused = taken < length;
        if (refused) LONG.setVolatile(Memory.ALL, base + STARVED, 1L);
        return taken;
    }

    /** Writer: whether, since a write was refused, at least a quarter has become free, or the reader has left. */
    public boolean relieved() {
        if (!refused) return false;
        refreshHead();
        if (isFull() && !left()) {
            // the reader may have taken the wish of an earlier refusal back after this one
            LONG.setVolatile(Memory.ALL, base + STARVED, 1L);
            VarHandle.fullFence();
            refreshHead();
            if (isFull() && !left()) return false;
        }
        refused = false;
        return true;
    }

    private boolean isFull() {
        return capacity - (tail - head) < capacity / 4;
    }

    /** Writer: nothing more will come. */
    public void end() {
        LONG.setVolatile(Memory.ALL, base + ENDED, 1L);
    }

    /** Writer: whether the reader is gone. */
    public boolean left() {
        return (long) LONG.getAcquire(Memory.ALL, base + LEFT) != 0;
    }

    /** Reader: how many bytes lie in one piece at {@link #address}. */
    public long available() {
        if (head == tail) refreshTail();
        return Math.min(tail - head, capacity - (head & capacity - 1));
    }

    /** Reader: where the available bytes begin. */
    public long address() {
        return data + (head & capacity - 1);
    }

    /** Reader: gives back bytes that were available; whether the writer waits for them. */
    public boolean skip(long length) {
        require(
                length >= 0 && length <= tail - head,
                INVALID_ARGUMENT,
                "Ring: skip of %d bytes where %d are available",
                length,
                tail - head);
        if (length == 0) return false;
        head += length;
        LONG.setRelease(Memory.ALL, base + HEAD, head);
        VarHandle.fullFence();
        if ((long) LONG.getOpaque(Memory.ALL, base + STARVED) == 0 || capacity - (tail - head) < capacity / 4)
            return false;
        LONG.setOpaque(Memory.ALL, base + STARVED, 0L);
        return true;
    }

    /** Reader: whether everything was read and nothing more will come. */
    public boolean ended() {
        if (head != tail || !isEnding()) return false;
        refreshTail();
        return head == tail;
    }

    /** Reader: whether the writer has said that no more will come; what it wrote before may be there still. */
    public boolean isEnding() {
        return (long) LONG.getAcquire(Memory.ALL, base + ENDED) != 0;
    }

    /** Reader: whether bytes or the end have come that neither this nor {@link #available} has told of. */
    public boolean news() {
        long now = (long) LONG.getAcquire(Memory.ALL, base + TAIL);
        if (now != tailSeen && now != tail) {
            tailSeen = now;
            return true;
        }
        if (endSeen || !isEnding()) return false;
        endSeen = true;
        return true;
    }

    /** Reader: no more will be read. */
    public void leave() {
        LONG.setVolatile(Memory.ALL, base + LEFT, 1L);
    }

    private void refreshHead() {
        long now = (long) LONG.getAcquire(Memory.ALL, base + HEAD);
        require(
                now - head >= 0 && tail - now >= 0,
                UNAVAILABLE,
                "Ring: the reader's count went from %d to %d, with %d written",
                head,
                now,
                tail);
        head = now;
    }

    private void refreshTail() {
        long now = (long) LONG.getAcquire(Memory.ALL, base + TAIL);
        require(
                now - tail >= 0 && now - head <= capacity,
                UNAVAILABLE,
                "Ring: the writer's count went from %d to %d, with %d read and room for %d",
                tail,
                now,
                head,
                capacity);
        tail = now;
    }
}
