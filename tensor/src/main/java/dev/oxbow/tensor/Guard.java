package dev.oxbow.tensor;

import java.lang.ref.Cleaner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What gives a user's tensor back: when it is closed, else when it was forgotten and the collector finds that. */
final class Guard implements Runnable {

    /*
     * A tensor is some fifty bytes on the heap, so forgotten ones make no collection happen, whatever they hold
     * outside of it. A collection is asked for when what users hold has doubled since the last one that was, and
     * once before an allocation fails, as the JDK does for direct buffers.
     */

    private static final Cleaner CLEANER = Cleaner.create();

    /** What users may hold before the first collection is asked for. */
    private static final long WORTH_A_COLLECTION = 256L << 20;

    private static final long LONGEST_WAIT_MILLIS = 256;
    private static final AtomicLong HELD = new AtomicLong();
    private static final Object COLLECTING = new Object();
    private static volatile long limit = WORTH_A_COLLECTION;

    private final Buffer buffer;

    private Guard(Buffer buffer) {
        this.buffer = buffer;
    }

    /** The guard of a tensor over {@code buffer}, with one reference to it. */
    static Cleaner.Cleanable of(Tensor tensor, Buffer buffer) {
        Cleaner.Cleanable guard = CLEANER.register(tensor, new Guard(buffer));
        if (buffer.addGuard() && HELD.addAndGet(buffer.size()) > limit) collectForgotten();
        return guard;
    }

    @Override
    public void run() {
        if (buffer.removeGuard()) HELD.addAndGet(-buffer.size());
        buffer.release();
    }

    private static void collectForgotten() {
        synchronized (COLLECTING) {
            if (HELD.get() <= limit) return;
            collect();
            limit = Math.max(WORTH_A_COLLECTION, 2 * HELD.get());
        }
    }

    /** Has the collector look for forgotten tensors, and waits a little for them; whether any came back. */
    static boolean collect() {
        long before = HELD.get();
        if (before == 0) return false;
        CountDownLatch found = new CountDownLatch(1);
        CLEANER.register(new Object(), found::countDown);
        System.gc();
        try {
            // what one collection finds comes in any order, so the end of it is when no more comes
            boolean more = found.await(LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS);
            for (int i = 0; more && i < LONGEST_WAIT_MILLIS; i++) {
                long now = HELD.get();
                Thread.sleep(1);
                more = HELD.get() < now;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return HELD.get() < before;
    }
}
