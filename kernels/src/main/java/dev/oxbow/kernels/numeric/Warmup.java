package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/** Runs a vector kernel on private memory, on a daemon thread, until the JIT compiler has made it fast. */
final class Warmup {

    /*
     * Before that every vector is an object and the kernel a hundred times slower than its scalar twin. Only speed
     * depends on these measurements: both give the same bits.
     */

    private static final int FAST_CALLS = 20;
    private static final int MOST_CALLS = 50_000;
    private static final double NANOS_PER_VECTOR_OPERATION = 4;

    private final int uses;
    private final double limit;
    private final long bytes;
    private final LongConsumer kernel;
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean done;

    /**
     * A kernel of about {@code operations} vector operations on {@code bytes} of zeros at the address that it is given,
     * worth warming up once it has been asked for {@code uses} times.
     */
    Warmup(int uses, long operations, long bytes, LongConsumer kernel) {
        this.uses = uses;
        this.limit = 1_000 + operations * NANOS_PER_VECTOR_OPERATION;
        this.bytes = bytes;
        this.kernel = kernel;
    }

    /** Whether the kernel has become fast. */
    boolean isDone() {
        if (done) return true;
        if (asked.get() < uses && asked.incrementAndGet() == uses)
            Thread.ofPlatform().daemon().name("oxbow-kernel-warm-up").start(this::warm);
        return false;
    }

    private void warm() {
        Buffer memory = MemoryPool.shared().allocate(bytes, "kernel warm-up");
        try {
            Memory.zero(memory.address(), bytes);
            int fast = 0;
            for (int call = 0; call < MOST_CALLS && fast < FAST_CALLS; call++) {
                long start = System.nanoTime();
                kernel.accept(memory.address());
                fast = System.nanoTime() - start < limit ? fast + 1 : 0;
            }
            done = fast == FAST_CALLS;
        } finally {
            memory.release();
        }
    }
}
