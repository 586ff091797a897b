package dev.oxbow.net.sim;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.util.ArrayList;
import java.util.List;

/** The bytes from one rank to another, whole and in order over a wire that loses, doubles and reorders. */
final class Stream {

    /*
     * Sender and receiver are one object, and the bytes under way have one copy: they stay in a ring from write to read,
     * and a datagram only carries the number of its segment. Each side nevertheless acts only on what datagrams told it.
     *
     * Segments are acknowledged one by one, with all before the first missing one. An acknowledgement returns the
     * time at which its segment was sent: that measures the round trip, and an older segment that is still missing
     * by then is taken for lost. What nothing is heard of is sent again when the timer ends, twice as late each time.
     * An acknowledgement also says how far the reader has read, which is the sender's right to write. When that news is
     * lost the refused sender asks for it, on the same timer.
     *
     * Of the segments [base, next) the sender lacks at least the first acknowledgement; the receiver has all below
     * expected, so base <= expected <= next.
     */

    static final int LARGEST = 64 << 10;
    private static final int OVERHEAD = 64;
    private static final int LEAST_MEMORY = 4096;
    private static final int BURST = 8;
    private static final int MOST_BACKOFF = 6;
    private static final long LEAST_TIMEOUT = 200_000;
    private static final long MOST_TIMEOUT = 1_000_000_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final Simulation simulation;
    private final Network from;
    private final Network to;
    private final Wire forth;
    private final Wire back;
    private final SegmentTable segments = new SegmentTable();

    private Buffer memory;
    private long capacity;
    private final List<Buffer> retired = new ArrayList<>(0);

    private long tail;
    private long cut;
    private long credit;
    private boolean refused;
    private long last = -1;
    private long timerAt = NEVER;
    private boolean timerQueued;
    private int backoff;
    private long roundTrip;
    private long variation;

    private long expected;
    private long received;
    private long read;
    private long advertised;
    private boolean ended;
    private boolean abandoned;

    Stream(Simulation simulation, Network from, Network to) {
        this.simulation = simulation;
        this.from = from;
        this.to = to;
        forth = from.wire(to.rank());
        back = to.wire(from.rank());
        roundTrip =
                forth.conditions().delay().most() + back.conditions().delay().most();
        variation = roundTrip / 2;
    }

    long write(long address, long length) {
        long n = Math.min(length, simulation.window() - (tail - credit));
        if (n > 0) {
            copyIn(address, n);
            tail += n;
            forth.bytes += n;
        }
        while (tail - cut >= LARGEST) sendSegment(LARGEST);
        refused = n < length;
        if (refused) {
            flush();
            if (timerAt == NEVER) restartTimer();
        }
        return n;
    }

    void flush() {
        if (tail > cut) sendSegment((int) (tail - cut));
    }

    /** Says that no more will come, in a segment of its own. */
    void end() {
        flush();
        last = segments.next();
        sendSegment(0);
    }

    private void copyIn(long address, long n) {
        if (abandoned) return;
        if (tail + n - read > capacity) grow(tail + n - read);
        long at = tail & capacity - 1;
        long first = Math.min(n, capacity - at);
        Memory.copy(address, memory.address() + at, first);
        Memory.copy(address + first, memory.address(), n - first);
    }

    /** A reader may still look at the old memory, so it is released only when the reader moves on. */
    private void grow(long bytes) {
        long larger = Math.max(LEAST_MEMORY, Long.highestOneBit(2 * bytes - 1));
        Buffer fresh = MemoryPool.shared().allocate(larger, this);
        for (long i = read, n; i < tail; i += n) {
            n = Math.min(tail - i, Math.min(capacity - (i & capacity - 1), larger - (i & larger - 1)));
            Memory.copy(memory.address() + (i & capacity - 1), fresh.address() + (i & larger - 1), n);
        }
        if (memory != null) retired.add(memory);
        memory = fresh;
        capacity = larger;
    }

    void release() {
        retired.forEach(Buffer::release);
        retired.clear();
        if (memory != null) memory.release();
        memory = null;
        capacity = 0;
    }

    private void sendSegment(int length) {
        cut += length;
        long id = segments.add(length, cut);
        forth.segments++;
        transmit(id);
    }

    private void transmit(long id) {
        long sent = simulation.nanoTime();
        segments.sent(id, sent);
        forth.send(OVERHEAD + segments.length(id), () -> arrive(id, sent));
        if (timerAt == NEVER) restartTimer();
    }

    /** At the receiver, by its system: also while the rank is paused. */
    private void arrive(long id, long sent) {
        if (id >= expected && !segments.hasArrived(id)) {
            segments.arrived(id);
            boolean first = expected == 0;
            while (expected < segments.next() && segments.hasArrived(expected)) {
                received = segments.end(expected);
                ended |= expected == last;
                expected++;
            }
            if (abandoned) read = received;
            if (first && expected > 0) to.openedBy(from.rank());
            if (id < expected) to.rouse();
        }
        acknowledge(id, sent);
    }

    private void acknowledge(long id, long sent) {
        long all = expected;
        long soFar = advertised = read;
        back.send(OVERHEAD, () -> acknowledged(id, all, soFar, sent));
    }

    /** At the sender; {@code id} is -1 when only the reader has moved. */
    private void acknowledged(long id, long all, long soFar, long sent) {
        boolean moved = segments.acknowledge(id, all);
        if (id >= 0) measure(simulation.nanoTime() - sent);
        long slack = roundTrip / 4;
        int burst = BURST;
        for (long i = segments.base(); i < id && burst > 0; i++) {
            if (segments.isAcknowledged(i) || segments.sentAt(i) + slack >= sent) continue;
            sendAgain(i);
            burst--;
        }
        if (soFar > credit) {
            credit = soFar;
            moved = true;
        }
        if (refused && simulation.window() - (tail - credit) >= simulation.window() / 4) {
            refused = false;
            from.rouse();
        }
        if (!moved) return;
        backoff = 0;
        timerAt = NEVER;
        if (isWaiting()) restartTimer();
    }

    private void measure(long nanos) {
        variation += (Math.abs(nanos - roundTrip) - variation) / 4;
        roundTrip += (nanos - roundTrip) / 8;
    }

    private void sendAgain(long id) {
        forth.retransmitted++;
        transmit(id);
    }

    private boolean isWaiting() {
        return segments.base() < segments.next() || refused;
    }

    private void restartTimer() {
        long timeout = Math.max(roundTrip + 4 * variation, LEAST_TIMEOUT) << backoff;
        timerAt = simulation.nanoTime() + Math.min(timeout, MOST_TIMEOUT);
        queueTimer();
    }

    private void queueTimer() {
        if (timerQueued) return;
        timerQueued = true;
        simulation.schedule(timerAt, this::timer);
    }

    private void timer() {
        timerQueued = false;
        if (timerAt == NEVER || from.isCrashed()) return;
        if (simulation.nanoTime() < timerAt) {
            queueTimer();
            return;
        }
        timerAt = NEVER;
        if (!isWaiting()) return;
        backoff = Math.min(backoff + 1, MOST_BACKOFF);
        long end = Math.min(segments.next(), segments.base() + BURST);
        for (long i = segments.base(); i < end; i++) if (!segments.isAcknowledged(i)) sendAgain(i);
        if (segments.base() == segments.next()) forth.send(OVERHEAD, () -> acknowledge(-1, 0));
        if (timerAt == NEVER) restartTimer();
    }

    long available() {
        return received == read ? 0 : Math.min(received - read, capacity - (read & capacity - 1));
    }

    long address() {
        return received == read ? 0 : memory.address() + (read & capacity - 1);
    }

    void skip(long length) {
        read += length;
        retired.forEach(Buffer::release);
        retired.clear();
        if (read == tail) release();
        if (read - advertised >= simulation.window() / 4) acknowledge(-1, 0);
    }

    boolean isEnded() {
        return ended;
    }

    /** The reader reads no more: what comes is thrown away. */
    void abandon() {
        abandoned = true;
        read = received;
        release();
    }

    @Override
    public String toString() {
        return "simulated stream from rank " + from.rank() + " to rank " + to.rank();
    }
}
