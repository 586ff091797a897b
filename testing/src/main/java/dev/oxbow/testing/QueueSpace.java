package dev.oxbow.testing;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.runtime.Order;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Memory under addresses that are not the host's, and the queue in which everything is done that touches it. */
final class QueueSpace implements Space, Order {
    /** From the host's address of a byte to its place. */
    private static final long FAR = 1L << 56;

    private final String name;
    private final ThreadPoolExecutor queue;
    private final AtomicLong takenOut = new AtomicLong();
    private volatile Throwable failure;

    QueueSpace(String name) {
        this.name = name;
        queue = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), r -> {
            Thread t = new Thread(r, name);
            t.setDaemon(true);
            return t;
        });
        queue.allowCoreThreadTimeOut(true);
    }

    /** Does something after all that was given before; nothing any more after a failure. */
    void later(Runnable work) {
        queue.execute(() -> {
            if (failure != null) return;
            try {
                work.run();
            } catch (Throwable e) {
                failure = e;
            }
        });
    }

    /** A tensor of this space as the queue's thread sees it; others as they are. */
    Tensor seen(Tensor t) {
        if (t.isIn(HOST)) return t;
        return new Tensor(t.dtype(), t.shape(), Buffer.lent(t.place() - FAR, t.byteSize()));
    }

    @Override
    public Event mark() {
        CountDownLatch reached = new CountDownLatch(1);
        queue.execute(reached::countDown);
        return new Event() {
            @Override
            public boolean isReached() {
                return reached.getCount() == 0;
            }

            @Override
            public void await() {
                QueueSpace.this.await(reached);
            }
        };
    }

    private void await(CountDownLatch reached) {
        boolean interrupted = false;
        while (true) {
            try {
                reached.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        Throwable e = failure;
        if (e != null) throw new OxbowException(UNAVAILABLE, name + ": is lost, since a kernel failed: " + e, e);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long alignment() {
        return 256;
    }

    @Override
    public long allocate(long bytes) {
        return HOST.allocate(bytes) + FAR;
    }

    @Override
    public void free(long place) {
        queue.execute(() -> HOST.free(place - FAR));
    }

    @Override
    public void copy(long from, long to, long bytes) {
        later(() -> Memory.copy(from - FAR, to - FAR, bytes));
    }

    @Override
    public void zero(long place, long bytes) {
        later(() -> Memory.zero(place - FAR, bytes));
    }

    @Override
    public void copyIn(long address, long place, long bytes) {
        byte[] taken = Memory.ALL.asSlice(address, bytes).toArray(ValueLayout.JAVA_BYTE);
        later(() -> MemorySegment.copy(MemorySegment.ofArray(taken), 0, Memory.ALL, place - FAR, bytes));
    }

    @Override
    public void copyOut(long place, long address, long bytes) {
        await();
        Memory.copy(place - FAR, address, bytes);
        takenOut.addAndGet(bytes);
    }

    /** How many bytes were copied to the host so far. */
    long takenOut() {
        return takenOut.get();
    }
}
