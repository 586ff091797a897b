package dev.oxbow.kernels;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/** Says when a loop of the Vector API may be used instead of its scalar twin, which gives the same bits. */
public final class WarmLoop {

    /*
     * Until the JIT compiler has seen enough of such a loop, every vector is an object and the loop a hundred times
     * slower than its twin. So the first call that would like to have it makes a daemon thread run it on private memory,
     * and callers use the twin until twenty runs in a row were fast. Only speed depends on these measurements. The
     * memory is not the shared pool's, whose use then tells what callers hold.
     */

    /** The bytes, all zero, that a trial may use as it likes. */
    public static final int BYTES = 1 << 16;

    private static final int ALIGNMENT = 64;

    private static final int FAST_RUNS = 20;
    private static final int MOST_RUNS = 200_000;
    private static final boolean ALLOWED = KernelLevel.current().usesVectors();

    private static final Executor THREAD = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("oxbow-loop-warm-up").factory());

    private final Trial trial;
    private final double nanos;
    private final AtomicBoolean asked = new AtomicBoolean(!ALLOWED);
    private boolean ready;

    /** One run of the loop on memory of {@link #BYTES}. */
    public interface Trial {
        void run(long memory);
    }

    /** A loop whose trial takes less than {@code nanos} once it is compiled. */
    public WarmLoop(double nanos, Trial trial) {
        this.nanos = nanos;
        this.trial = trial;
    }

    /** Whether the loop is fast by now. */
    public boolean isReady() {
        if (ready) return true;
        if (!asked.getPlain() && asked.compareAndSet(false, true)) THREAD.execute(this::warm);
        return false;
    }

    private void warm() {
        try (Arena arena = Memory.arena()) {
            long memory = Memory.address(arena.allocate(BYTES, ALIGNMENT));
            int fast = 0;
            for (int run = 0; run < MOST_RUNS && fast < FAST_RUNS; run++) {
                long start = System.nanoTime();
                trial.run(memory);
                fast = System.nanoTime() - start < nanos ? fast + 1 : 0;
            }
            ready = fast == FAST_RUNS;
        }
    }
}
