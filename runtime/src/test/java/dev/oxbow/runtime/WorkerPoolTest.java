package dev.oxbow.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.Parallel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shares of one pool: what they run, on how many threads, and what becomes of errors. */
@Timeout(300)
final class WorkerPoolTest {
    private final WorkerPool pool = new WorkerPool();

    @Test
    void rangesCoverAllItemsOnceWhateverTheWidth() {
        for (int threads : new int[] {1, 2, 4}) {
            try (Width w = pool.share(threads)) {
                assertEquals(threads, w.threads());
                AtomicLongArray seen = new AtomicLongArray(1001);
                w.run(1001, 10, (from, to) -> {
                    assertTrue(to - from <= 10 || threads == 1);
                    for (long i = from; i < to; i++) seen.incrementAndGet((int) i);
                });
                for (int i = 0; i < 1001; i++) assertEquals(1, seen.get(i), "item " + i);
                w.run(0, 10, (from, to) -> assertFalse(true, "there is nothing to do"));
            }
        }
    }

    @Test
    void whatIsNotMoreThanAGrainStaysOnTheThreadThatAsks() {
        try (Width w = pool.share(4)) {
            Thread self = Thread.currentThread();
            w.run(10, 10, (from, to) -> assertSame(self, Thread.currentThread()));
        }
    }

    @Test
    void aShareOfTwoThreadsHasTwoAtOnceAndNoMore() throws Exception {
        try (Width wide = pool.share(4);
                Width w = pool.share(2)) {
            assertEquals(4, wide.threads());
            CyclicBarrier two = new CyclicBarrier(2);
            w.run(2, 1, (from, to) -> meet(two)); // both must be under way to end
            AtomicInteger now = new AtomicInteger(), most = new AtomicInteger();
            w.run(2000, 1, (from, to) -> {
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                Thread.onSpinWait();
                now.decrementAndGet();
            });
            assertTrue(most.get() <= 2, "at once: " + most);
        }
    }

    @Test
    void tasksOfAShareTakeNoMoreWorkersThanItHas() throws Exception {
        try (Width wide = pool.share(5);
                Width w = pool.share(2)) {
            assertEquals(5, wide.threads());
            AtomicInteger now = new AtomicInteger(), most = new AtomicInteger();
            CountDownLatch done = new CountDownLatch(500);
            for (int i = 0; i < 500; i++) {
                w.execute(() -> {
                    most.accumulateAndGet(now.incrementAndGet(), Math::max);
                    Thread.yield();
                    now.decrementAndGet();
                    done.countDown();
                });
            }
            assertTrue(done.await(30, TimeUnit.SECONDS));
            assertEquals(1, most.get(), "the thread that asks is the other of the two");
        }
    }

    @Test
    void tenSharesHaveAsManyWorkersAsTheWidestWantsOrTheMachineHasCores() throws Exception {
        Set<Thread> workers = ConcurrentHashMap.newKeySet();
        List<Width> shares = new ArrayList<>();
        for (int i = 0; i < 10; i++) shares.add(pool.share(3));
        CountDownLatch done = new CountDownLatch(10 * 200);
        for (int t = 0; t < 200; t++)
            for (Width w : shares)
                w.execute(() -> {
                    workers.add(Thread.currentThread());
                    done.countDown();
                });
        assertTrue(done.await(30, TimeUnit.SECONDS));
        int most = Math.max(Runtime.getRuntime().availableProcessors() - 1, 2);
        assertTrue(workers.size() <= most, workers.size() + " workers for ten shares of 3 threads");
        shares.forEach(Width::close);
    }

    @Test
    void anErrorOfARangeIsThatOfTheCallAndTheWorkersLiveOn() {
        try (Width w = pool.share(3)) {
            for (int round = 0; round < 20; round++) {
                var e = assertThrows(
                        IllegalStateException.class,
                        () -> w.run(100, 1, (from, to) -> {
                            if (from == 50) throw new IllegalStateException("fifty");
                        }));
                assertEquals("fifty", e.getMessage());
            }
            CyclicBarrier three = new CyclicBarrier(3);
            w.run(3, 1, (from, to) -> meet(three));
        }
    }

    @Test
    void aTaskThatThrowsGoesToTheHandlerAndItsShareGoesOn() throws Exception {
        try (Width w = pool.share(2)) {
            CountDownLatch told = new CountDownLatch(1), done = new CountDownLatch(5);
            w.execute(() -> {
                Thread.currentThread().setUncaughtExceptionHandler((t, e) -> told.countDown());
                throw new IllegalStateException("a task of a test");
            });
            for (int i = 0; i < 5; i++) w.execute(done::countDown);
            assertTrue(told.await(30, TimeUnit.SECONDS));
            assertTrue(done.await(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void rangesWithinRangesEndThoughEveryWorkerWaits() {
        try (Width w = pool.share(3)) {
            AtomicInteger count = new AtomicInteger();
            Parallel.Range inner = (from, to) -> count.addAndGet((int) (to - from));
            w.run(30, 1, (from, to) -> w.run(30, 1, inner));
            assertEquals(900, count.get());
        }
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
