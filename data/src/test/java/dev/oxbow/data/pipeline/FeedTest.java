package dev.oxbow.data.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors, ends and bounds of what computes elements ahead. */
@Timeout(300)
final class FeedTest {

    private static long odd(long x) {
        if (x % 4 == 2) throw new OxbowException(ErrorCode.DATA_LOSS, "file f at byte %d: broken".formatted(10 * x));
        return x;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8})
    void anErrorComesAtItsPlaceAndTheNextElementBehindIt(int threads) {
        List<String> seen = new ArrayList<>();
        try (Feed<Long> feed =
                Pipeline.range(8).map(FeedTest::odd).threads(threads).open()) {
            while (feed.hasNext()) {
                try {
                    seen.add(feed.next().toString());
                } catch (OxbowException e) {
                    seen.add(e.getMessage());
                }
            }
        }
        assertEquals(
                List.of(
                        "0",
                        "1",
                        "map of element 2 of epoch 0: file f at byte 20: broken",
                        "3",
                        "4",
                        "5",
                        "map of element 6 of epoch 0: file f at byte 60: broken",
                        "7"),
                seen);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8})
    void badElementsAreSkippedAndCountedOnRequest(int threads) {
        List<RuntimeException> bad = new ArrayList<>();
        Pipeline<Long> p = Pipeline.range(8).map(FeedTest::odd).skipBad(bad::add);
        assertEquals(
                List.of(0L, 1L, 3L, 4L, 5L, 7L),
                RandomPipelines.all(p.threads(threads).open()));
        assertEquals(2, bad.size());
    }

    @Test
    @Timeout(300)
    void anErrorOfTheMachineInTheOrderIsTold() {
        Pipeline<Long> p = Pipeline.of(_ -> () -> {
            throw new NoClassDefFoundError("gone");
        });
        try (Feed<Long> feed = p.threads(2).open()) {
            OxbowException e = assertThrows(OxbowException.class, feed::next);
            assertEquals("input: java.lang.NoClassDefFoundError: gone", e.getMessage());
        }
    }

    @Test
    void anErrorBeforeAFilterPassesThroughIt() {
        try (Feed<Long> feed =
                Pipeline.range(4).map(FeedTest::odd).filter(x -> x > 0).open()) {
            assertEquals(1, feed.next());
            assertEquals(
                    ErrorCode.DATA_LOSS,
                    assertThrows(OxbowException.class, feed::next).code());
            assertEquals(3, feed.next());
            assertFalse(feed.hasNext());
        }
    }

    @Test
    void anErrorOfTheOrderItselfEndsTheFeedBehindWhatCameBefore() {
        Pipeline<Long> p = Pipeline.of(_ -> new Cursor<Long>() {
            private long at;

            @Override
            public Lazy<Long> next() {
                if (at == 2)
                    throw new OxbowException(ErrorCode.DATA_LOSS, "file f at byte 17: ends inside of a record");
                return Lazy.of(at++);
            }
        });
        for (Pipeline<Long> each : List.of(p, p.filter(_ -> true), p.skipBad(_ -> {}), p.shuffle(1, 1)))
            try (Feed<Long> feed = each.open()) {
                assertEquals(0, feed.next());
                assertEquals(1, feed.next());
                for (int i = 0; i < 2; i++)
                    assertEquals(
                            "file f at byte 17: ends inside of a record",
                            assertThrows(OxbowException.class, feed::next).getMessage());
            }
    }

    @Test
    void closingEndsTheWaitOfASourceAndAllThreads() throws InterruptedException {
        BlockingQueue<Optional<Long>> queue = new ArrayBlockingQueue<>(4);
        queue.put(Optional.of(5L));
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        Feed<Long> feed = Pipeline.queue(queue, Duration.ofHours(1)).threads(2).open();
        assertEquals(5, feed.next());
        assertFalse(inputThreads(before).isEmpty());
        feed.close();
        assertFalse(feed.hasNext());
        for (Thread t : inputThreads(before)) // a pool has ended a little before its threads
        assertTrue(t.join(Duration.ofSeconds(20)), t::toString);
    }

    /** Threads of feeds that were not there before. */
    private static Set<Thread> inputThreads(Set<Thread> before) {
        Set<Thread> now = new HashSet<>(Thread.getAllStackTraces().keySet());
        now.removeIf(t -> before.contains(t) || !t.getName().startsWith("input-"));
        return now;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8})
    void aQueueGivesWhatOthersPutInUntilTheEmptyEntry(int threads) throws InterruptedException {
        BlockingQueue<Optional<Integer>> queue = new ArrayBlockingQueue<>(2);
        Thread other = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; i < 100; i++) queue.put(Optional.of(i));
                queue.put(Optional.empty());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        List<Integer> seen = new ArrayList<>();
        try (Feed<Integer> feed = Pipeline.queue(queue, Duration.ofSeconds(50))
                .map(i -> 2 * i)
                .threads(threads)
                .open()) {
            feed.forEachRemaining(seen::add);
        }
        assertEquals(IntStream.range(0, 100).map(i -> 2 * i).boxed().toList(), seen);
        other.join();
    }

    @Test
    void aQueueThatNobodyFillsIsAnErrorAndSoIsAPositionInIt() {
        Pipeline<Long> p = Pipeline.queue(new ArrayBlockingQueue<Optional<Long>>(4), Duration.ofMillis(1));
        try (Feed<Long> feed = p.open()) {
            OxbowException e = assertThrows(OxbowException.class, feed::next);
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
            assertEquals("queue: nobody put an element into it for PT0.001S", e.getMessage());
        }
        assertEquals(
                "queue: can not go on after 3 elements: what others put into it does not come again",
                assertThrows(OxbowException.class, () -> p.epoch(0, 3)).getMessage());
    }

    @Test
    void anInterruptEndsTheWaitOfWhoeverTakes() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1), waits = new CountDownLatch(1);
        AtomicReference<OxbowException> seen = new AtomicReference<>();
        Feed<Long> feed = Pipeline.range(1)
                .map(x -> {
                    waits.countDown();
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return x;
                })
                .threads(1)
                .open();
        Thread taker = Thread.ofPlatform().start(() -> seen.set(assertThrows(OxbowException.class, feed::next)));
        waits.await();
        taker.interrupt();
        taker.join();
        assertEquals(ErrorCode.CANCELLED, seen.get().code());
        never.countDown();
        feed.close();
    }

    @Test
    void noMoreIsComputedAheadThanElementsAndBytesAllow() {
        int each = 1 << 16;
        for (int bytes : new int[] {each / 2, 3 * each + 1000, 100 * each}) {
            AtomicInteger made = new AtomicInteger();
            AtomicLong most = new AtomicLong();
            AtomicInteger taken = new AtomicInteger();
            Pipeline<Tensor> p = Pipeline.range(60)
                    .map(_ -> {
                        most.accumulateAndGet(made.incrementAndGet() - taken.get(), Math::max);
                        return Tensor.zeros(DType.U8, Shape.of(each));
                    })
                    .threads(3)
                    .prefetch(10, bytes);
            try (Feed<Tensor> feed = p.open()) {
                while (feed.hasNext()) {
                    feed.next().close();
                    taken.incrementAndGet();
                }
            }
            // an element may be begun between its predecessor's departure and the count of it
            long allowed = Math.min(10, Math.max(3, bytes / each)) + 1;
            assertTrue(most.get() <= allowed, "%d ahead where %d bytes were allowed".formatted(most.get(), bytes));
        }
    }

    @Test
    void closingEarlyClosesWhatWasComputedAhead() {
        List<Tensor> made = new ArrayList<>();
        Pipeline<Sample> p = Pipeline.range(100).map(x -> {
            Tensor t = Tensor.scalar(x);
            synchronized (made) {
                made.add(t);
            }
            return Sample.of(t);
        });
        try (Feed<Sample> feed = p.threads(4).prefetch(20, 1 << 20).open()) {
            for (int i = 0; i < 5; i++) feed.next().close();
        }
        assertTrue(made.stream().allMatch(Tensor::isClosed));
    }

    @Test
    void whoWaitsForAFeedThatSomebodyClosesIsCancelled() throws InterruptedException {
        CountDownLatch opened = new CountDownLatch(1);
        BlockingQueue<Optional<Long>> silent = new ArrayBlockingQueue<>(1) {
            @Override
            public Optional<Long> poll(long time, TimeUnit unit) throws InterruptedException {
                opened.countDown();
                return super.poll(time, unit);
            }
        };
        Feed<Long> feed = Pipeline.queue(silent, Duration.ofHours(1)).threads(1).open();
        AtomicReference<RuntimeException> seen = new AtomicReference<>();
        Thread taker = Thread.ofPlatform().start(() -> seen.set(assertThrows(OxbowException.class, feed::next)));
        opened.await();
        feed.close();
        taker.join();
        assertEquals("input: closed", seen.get().getMessage());
        assertEquals(
                "input: closed", assertThrows(OxbowException.class, feed::next).getMessage());
    }
}
