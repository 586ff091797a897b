package dev.oxbow.testing;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.runtime.Order;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Fabric;
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
    private final long far;

    private final String name;
    private final ThreadPoolExecutor queue;
    private final AtomicLong takenOut = new AtomicLong();
    private final AtomicLong moved = new AtomicLong();
    private volatile Throwable failure;
    private volatile OxbowException raised;

    QueueSpace(String name) {
        this.name = name;
        this.far = 1L << 56;
        queue = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), r -> {
            Thread t = new Thread(r, name);
            t.setDaemon(true);
            return t;
        });
        queue.allowCoreThreadTimeOut(true);
    }

    /** Other memory, under other addresses, of the same queue. */
    QueueSpace(String name, QueueSpace of) {
        this.name = name;
        this.far = of.far << 1;
        this.queue = of.queue;
    }

    /** Does something after all that was given before; nothing any more after a failure. */
    void later(Runnable work) {
        queue.execute(() -> {
            if (failure != null || raised != null) return;
            try {
                work.run();
            } catch (Throwable e) {
                failure = e;
            }
        });
    }

    /** Fails whoever waits for the queue next, which does nothing until then. */
    void raise(OxbowException why) {
        raised = why;
    }

    @Override
    public Fabric fabric() {
        return new QueueFabric(this);
    }

    /** A tensor of this space as the queue's thread sees it; others as they are. */
    Tensor seen(Tensor t) {
        if (t.isIn(HOST)) return t;
        return new Tensor(t.dtype(), t.shape(), Buffer.lent(t.place() - far, t.byteSize()));
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
        OxbowException told = raised;
        raised = null;
        if (told != null) throw told.rethrown();
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
        return HOST.allocate(bytes) + far;
    }

    @Override
    public void free(long place) {
        queue.execute(() -> HOST.free(place - far));
    }

    @Override
    public void copy(long from, long to, long bytes) {
        later(() -> Memory.copy(from - far, to - far, bytes));
    }

    @Override
    public boolean copyFrom(Space other, long from, long to, long bytes) {
        if (!(other instanceof QueueSpace there)) return false;
        moved.addAndGet(bytes);
        if (there.queue == queue) {
            later(() -> Memory.copy(from - there.far, to - far, bytes));
            return true;
        }
        CountDownLatch written = new CountDownLatch(1), read = new CountDownLatch(1);
        there.queue.execute(written::countDown);
        queue.execute(() -> {
            pass(written);
            if (failure == null) Memory.copy(from - there.far, to - far, bytes);
            read.countDown();
        });
        there.queue.execute(() -> pass(read));
        return true;
    }

    /** Waits in a queue for a point of another that was put there before. */
    private static void pass(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** How many bytes came from other spaces of devices so far. */
    long moved() {
        return moved.get();
    }

    @Override
    public void zero(long place, long bytes) {
        later(() -> Memory.zero(place - far, bytes));
    }

    @Override
    public void copyIn(long address, long place, long bytes) {
        byte[] taken = Memory.ALL.asSlice(address, bytes).toArray(ValueLayout.JAVA_BYTE);
        later(() -> MemorySegment.copy(MemorySegment.ofArray(taken), 0, Memory.ALL, place - far, bytes));
    }

    @Override
    public void copyOut(long place, long address, long bytes) {
        await();
        Memory.copy(place - far, address, bytes);
        takenOut.addAndGet(bytes);
    }

    /** How many bytes were copied to the host so far. */
    long takenOut() {
        return takenOut.get();
    }
}
