package dev.oxbow.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class EventStreamTest {
    /** Keeps the steps that it was told of, and how many it missed. */
    private static final class Steps implements EventReader {
        final List<Long> steps = new ArrayList<>();
        final AtomicLong lost = new AtomicLong();

        @Override
        public void event(long millis, Event event) {
            if (event instanceof Event.Step s) steps.add(s.step());
        }

        @Override
        public void lost(long count) {
            lost.addAndGet(count);
        }
    }

    private static Event step(long i) {
        return new Event.Step(i, 0.5, 1_000, 10, 32);
    }

    @Test
    void readersSeeAllEventsInOrder() {
        Steps a = new Steps(), b = new Steps();
        EventStream stream = new EventStream();
        stream.attach("a", a);
        stream.attach("b", b);
        for (int i = 0; i < 5_000; i++) stream.publish(step(i));
        stream.close();
        assertEquals(5_000, a.steps.size());
        assertEquals(a.steps, b.steps);
        assertEquals(a.steps.stream().sorted().toList(), a.steps);
        assertEquals(0, stream.lost());
    }

    @Test
    void aReaderThatHangsLosesEventsWhichAreCountedAndTheOthersSeeAll() throws InterruptedException {
        Steps fine = new Steps();
        CountDownLatch held = new CountDownLatch(1), reached = new CountDownLatch(1);
        EventStream stream = new EventStream(Duration.ofMillis(50));
        stream.attach("hangs", (_, _) -> {
            reached.countDown();
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        stream.publish(step(0));
        reached.await();
        for (int i = 1; i <= EventStream.LINE + 500; i++) stream.publish(step(i));
        assertEquals(500, stream.lost());
        stream.attach("fine", fine);
        stream.publish(step(7));
        stream.close(); // does not wait for the one that hangs
        held.countDown();
        assertEquals(501, stream.lost());
        assertEquals(List.of(7L), fine.steps);
    }

    @Test
    void aReaderIsToldHowManyEventsItMissed() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1), reached = new CountDownLatch(1);
        Steps counts = new Steps();
        EventStream stream = new EventStream();
        stream.attach("slow", new EventReader() {
            @Override
            public void event(long millis, Event event) throws IOException {
                reached.countDown();
                try {
                    held.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                counts.event(millis, event);
            }

            @Override
            public void lost(long count) {
                counts.lost(count);
            }
        });
        stream.publish(step(0));
        reached.await();
        for (int i = 1; i <= EventStream.LINE + 20; i++) stream.publish(step(i));
        held.countDown();
        stream.close();
        assertEquals(20, counts.lost.get());
        assertEquals(EventStream.LINE + 1, counts.steps.size());
    }

    @Test
    void aReaderThatFailsIsToldNoMore() {
        Steps fine = new Steps();
        EventStream stream = new EventStream();
        AtomicLong told = new AtomicLong();
        stream.attach("fails", (_, _) -> {
            told.incrementAndGet();
            throw new IOException("the disk is full");
        });
        stream.attach("fine", fine);
        for (int i = 0; i < 100; i++) stream.publish(step(i));
        stream.close();
        assertEquals(1, told.get());
        assertEquals(100, fine.steps.size());
    }

    @Test
    void eventsThatAreLargeAreBoundedInBytes() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1), reached = new CountDownLatch(1);
        EventStream stream = new EventStream();
        stream.attach("slow", (_, _) -> {
            reached.countDown();
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        stream.publish(step(0));
        reached.await();
        byte[] megabyte = new byte[1 << 20];
        for (int i = 0; i < 100; i++) stream.publish(new Event.Summarised(i, megabyte));
        assertEquals(100 - EventStream.LINE_BYTES / megabyte.length, stream.lost());
        held.countDown();
        stream.close();
    }

    @Test
    void manyThreadsPublishAndNothingIsLost() throws InterruptedException {
        Steps all = new Steps();
        EventStream stream = new EventStream();
        stream.attach("all", all);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++)
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 1_000; i++) stream.publish(step(i));
            }));
        for (Thread t : threads) t.join();
        stream.close();
        assertEquals(8_000, all.steps.size());
        assertEquals(8_000, stream.published());
    }

    @Test
    void figuresDoNotChangeWithTheMapTheyWereMadeOf() {
        Map<String, Double> values = new HashMap<>(Map.of("a", 1.0));
        Event.Figures f = new Event.Figures(1, values);
        values.put("b", 2.0);
        assertEquals(Map.of("a", 1.0), f.values());
        assertTrue(f.bytes() == 0);
    }
}
