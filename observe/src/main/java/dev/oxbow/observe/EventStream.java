package dev.oxbow.observe;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events of one process, for several readers. Publishing waits for nobody: it adds an event to the line of each reader, or counts
 * it as lost where the line is full, and wakes no thread. A reader that is slow, fails or hangs therefore costs events and a
 * bounded amount of memory, never a step.
 *
 * {@snippet :
 * EventReader print = (millis, event) -> IO.println(millis + " " + event);
 * try (EventStream stream = new EventStream()) {
 *     stream.attach("print", print);
 *     stream.publish(new Event.Figures(1, Map.of("accuracy", 0.5)));
 * }
 * }
 */
public final class EventStream implements AutoCloseable {
    /** The most events, and the most bytes that they may hold, in the line of a reader. */
    static final int LINE = 16_384;

    static final long LINE_BYTES = 64L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);
    private static final Duration CLOSING = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = 20_000_000;

    private final List<Line> lines = new CopyOnWriteArrayList<>();
    private final AtomicLong published = new AtomicLong();
    private final Duration closing;
    private volatile boolean closed;

    public EventStream() {
        this(CLOSING);
    }

    EventStream(Duration closing) {
        this.closing = closing;
    }

    /** Begins to tell a reader what is published from now on; the stream closes it. */
    public void attach(String name, EventReader reader) {
        Line line = new Line(name, reader);
        lines.add(line);
        line.thread.start();
    }

    /** Tells all readers. It takes about a microsecond, whatever they do. */
    public void publish(Event event) {
        if (closed) return;
        published.incrementAndGet();
        if (lines.isEmpty()) return;
        Entry e = new Entry(System.currentTimeMillis(), event);
        for (int i = 0; i < lines.size(); i++) lines.get(i).offer(e);
    }

    public long published() {
        return published.get();
    }

    /** How many events readers have lost, all together. */
    public long lost() {
        long sum = 0;
        for (Line l : lines) sum += l.lost.get();
        return sum;
    }

    /** Lets readers take what there is, for ten seconds at most, and closes them. */
    @Override
    public void close() {
        closed = true;
        long end = System.nanoTime() + closing.toNanos();
        for (Line l : lines) l.end(end);
    }

    private record Entry(long millis, Event event) {}

    /** The events that a reader has not taken yet. */
    private final class Line {
        final String name;
        final EventReader reader;
        final Thread thread;
        final AtomicLong lost = new AtomicLong();
        private final ConcurrentLinkedQueue<Entry> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicInteger count = new AtomicInteger();
        private final AtomicLong bytes = new AtomicLong();
        private volatile boolean failed;

        Line(String name, EventReader reader) {
            this.name = name;
            this.reader = reader;
            this.thread = Thread.ofPlatform().daemon().name("events-" + name).unstarted(this::read);
        }

        void offer(Entry e) {
            long size = e.event.bytes();
            if (failed || count.get() >= LINE || bytes.get() + size > LINE_BYTES) {
                lost.incrementAndGet();
                return;
            }
            count.incrementAndGet();
            bytes.addAndGet(size);
            waiting.add(e);
        }

        private void read() {
            long told = 0;
            try (reader) {
                while (true) {
                    boolean last = closed;
                    Entry e = waiting.poll();
                    if (e != null) {
                        count.decrementAndGet();
                        bytes.addAndGet(-e.event.bytes());
                        long missing = lost.get() - told;
                        told += missing;
                        if (missing > 0) reader.lost(missing);
                        reader.event(e.millis, e.event);
                    } else {
                        reader.idle();
                        if (last || Thread.interrupted()) return;
                        LockSupport.parkNanos(PAUSE_NANOS);
                    }
                }
            } catch (IOException | RuntimeException e) {
                lost.incrementAndGet();
                LOG.warn("{} sees no more events of this run: {}", name, e.toString());
            } finally {
                failed = true;
                while (waiting.poll() != null) lost.incrementAndGet();
            }
        }

        void end(long deadline) {
            LockSupport.unpark(thread);
            try {
                long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
                if (thread.join(Duration.ofMillis(left))) return;
                LOG.warn("{} did not take its last {} events in {}", name, count.get(), closing);
                thread.interrupt();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
