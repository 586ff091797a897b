package dev.oxbow.cuda;

import dev.oxbow.runtime.Order;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.util.concurrent.atomic.AtomicLong;

/** A card's memory, and its stream, in which everything is done that touches it; engines see it as {@link EngineSpace}. */
final class CudaSpace {

    /*
     * What comes from the host goes through pinned memory: the caller's may be gone when the card reads it. From there a stream
     * of its own brings it to as much memory of the card, beside the work that goes on, and the stream of the work copies it to
     * its place. Both memories have two halves, small enough to stay in a core's cache; when one is full the other is taken,
     * after the copies out of it are done. What goes to the host is waited for, so one piece of pinned memory is enough for it.
     * For a few bytes the card's change from its kernels to the engine that copies takes longer than they do; so where such
     * results are wanted again and again, a kernel writes them to pinned memory.
     */

    private static final long ALIGNMENT = 256;
    private static final long HALF = 1 << 20;

    /** Less than this is on its way sooner than another stream. */
    private static final long LEAST_BESIDE = 1 << 15;

    /** Small copies to the host after which it is worth a kernel to do them. */
    private static final int FEW = 16;

    /** How long a thread looks before it sleeps: most waits are for the rest of one small step. */
    private static final long SPIN_NANOS = 300_000;

    private final Card card;
    private final Commands commands;
    private final long staging;
    private final long landing;
    private final long arriving;
    private final long arrivals;
    private final long[] emptied = new long[2];
    private final boolean[] inUse = new boolean[2];
    private final Object out = new Object();
    private final Events events = new Events();
    private final AtomicLong in = new AtomicLong();
    private final AtomicLong outOf = new AtomicLong();
    private int half;
    private long used;
    private long small;

    /** The context must be entered. */
    CudaSpace(Card card) {
        this.card = card;
        this.commands = card.commands;
        this.staging = Driver.allocatePinned(2 * HALF);
        this.landing = Driver.allocate(2 * HALF);
        this.arriving = Driver.stream();
        this.arrivals = Driver.allocatePinned(HALF);
        for (int i = 0; i < emptied.length; i++) emptied[i] = Driver.event(false);
    }

    String name() {
        return "GPU:" + card.ordinal;
    }

    long alignment() {
        return ALIGNMENT;
    }

    long allocate(long bytes) {
        card.enter();
        try {
            return Driver.allocate(Math.max(1, bytes));
        } catch (OxbowException e) {
            if (e.code() != ErrorCode.RESOURCE_EXHAUSTED) throw e;
            throw new OutOfMemoryError("%s has no %,d bytes more".formatted(card, bytes));
        }
    }

    void free(long place) {
        if (card.isLost()) return; // with all that was there
        commands.outside(() -> Driver.free(place));
    }

    void copy(long from, long to, long bytes) {
        if (bytes > 0) commands.run(new Entry.Copy(from, to, bytes));
    }

    /** Copies from another card, and does more there: that is in this stream, after all in the other one, which then waits for it. */
    void copyFrom(CudaSpace there, long from, long to, long bytes, Runnable more) {
        long written = there.recorded();
        commands.outside(() -> {
            Driver.await(commands.stream(), written);
            Driver.copy(to, card.context(), from, there.card.context(), bytes, commands.stream());
            more.run();
        });
        long read = recorded();
        there.commands.outside(() -> Driver.await(there.commands.stream(), read));
        there.events.give(written); // whoever waits for it was told which point it is
        events.give(read);
    }

    /** An event for the point of now. */
    private long recorded() {
        long[] event = new long[1];
        commands.outside(() -> {
            event[0] = events.take();
            Driver.record(event[0], commands.stream());
        });
        return event[0];
    }

    void zero(long place, long bytes) {
        if (bytes > 0) commands.run(new Entry.Fill(place, (byte) 0, bytes));
    }

    void copyIn(long address, long place, long bytes) {
        for (long done = 0; done < bytes; ) {
            long from = address + done, to = place + done, n = Math.min(HALF, bytes - done);
            commands.outside(() -> {
                long at = stage(n);
                Memory.copy(from, at, n);
                if (n < LEAST_BESIDE) Driver.toDevice(to, at, n, commands.stream());
                else beside(at, to, n);
            });
            done += n;
        }
    }

    /** Brings pinned memory to its place while other work goes on. Only under the lock of the commands. */
    private void beside(long at, long to, long bytes) {
        long landed = landing + (at - staging), there = events.take();
        Driver.toDevice(landed, at, bytes, arriving);
        Driver.record(there, arriving);
        Driver.await(commands.stream(), there);
        Driver.copy(to, landed, bytes, commands.stream());
        events.give(there); // who waits for it was told which point it is
    }

    /** Copies a few numbers of the host. Only under the lock of the commands. */
    void put(long[] numbers, long place, long stream) {
        long at = stage(8L * numbers.length);
        for (int i = 0; i < numbers.length; i++) Memory.putLong(at + 8L * i, numbers[i]);
        Driver.toDevice(place, at, 8L * numbers.length, stream);
    }

    /** Pinned memory for so many bytes that are on their way. Only under the lock of the commands. */
    private long stage(long bytes) {
        in.addAndGet(bytes);
        if (used + bytes > HALF) {
            Driver.record(emptied[half], commands.stream());
            inUse[half] = true;
            half = 1 - half;
            used = 0;
            if (inUse[half]) Driver.await(emptied[half]);
        }
        long at = staging + half * HALF + used;
        used += bytes + 63 & -64;
        return at;
    }

    /** Bytes that came from the host so far. */
    long bytesIn() {
        return in.get();
    }

    /** Bytes that went there. */
    long bytesOut() {
        return outOf.get();
    }

    void copyOut(long place, long address, long bytes) {
        outOf.addAndGet(bytes);
        synchronized (out) {
            for (long done = 0; done < bytes; ) {
                long from = place + done, n = Math.min(HALF, bytes - done);
                boolean byKernel = n < LEAST_BESIDE && small++ >= FEW;
                commands.outside(() -> {
                    if (byKernel) StridedCopy.issue(card, from, arrivals, n, commands.stream());
                    else Driver.toHost(arrivals, from, n, commands.stream());
                });
                mark().await();
                Memory.copy(arrivals, address + done, n);
                done += n;
            }
        }
    }

    /** The point of now in the stream. */
    Order.Event mark() {
        Mark mark = new Mark();
        mark.event = recorded();
        return mark;
    }

    /** The point that has been reached when all that kernels were told to do so far is done, without making a region give up its graph. */
    Fabric.Mark lateMark() {
        Mark late = new Mark();
        return () -> {
            if (late.event == 0)
                commands.ifNothingIsDeferred(() -> {
                    late.event = events.take();
                    Driver.record(late.event, commands.stream());
                });
            return late.event != 0 && late.isReached();
        };
    }

    /** A point of the stream; its event is used again when somebody has seen it reached. */
    private final class Mark implements Order.Event {
        private long event;
        private boolean reached;

        @Override
        public synchronized boolean isReached() {
            if (reached) return true;
            card.enter();
            if (!Driver.isReached(event)) return false;
            reached = true;
            events.give(event);
            return true;
        }

        @Override
        public void await() {
            long start = System.nanoTime();
            while (!isReached()) {
                if (System.nanoTime() - start < SPIN_NANOS) Thread.onSpinWait();
                else sleep();
            }
        }

        private synchronized void sleep() {
            if (!reached) Driver.await(event);
        }
    }
}
