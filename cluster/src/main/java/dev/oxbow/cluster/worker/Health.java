package dev.oxbow.cluster.worker;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Whether other tasks live, and in the same life. Masters watch the workers of their sessions, workers the masters; a task is
 * asked for its status four times in the time after which it counts as lost, whoever and how many watch it, and not at all when
 * nobody does.
 */
public final class Health {

    /*
     * A process that was killed is seen at once by its connection; this is for those that are stopped, hang or are cut off.
     * Asking for the status is a call that every task of TensorFlow answers. Time in which this process itself stood
     * still says nothing about others: a look that comes late moves the time of the last sign of life by as much. Every look
     * asks again, whether or not there was an answer: one that was sent while a task was cut off may never get one, and must
     * not keep others from asking when it is there again.
     */

    /** Looks in the time after which a task is lost. */
    public static final int LOOKS = 4;

    private final LongSupplier clock;
    private final long lostAfter;
    private final Map<String, Watched> tasks = new HashMap<>();
    private long looked;

    /** Asks a task for its devices. */
    @FunctionalInterface
    public interface Asked {
        void status(Duration deadline, BiConsumer<List<DeviceSpec>, OxbowException> then);
    }

    private static final class Watched {
        final String task;
        final Asked asks;
        final List<Watch> watches = new ArrayList<>();
        long heard;
        int asked;

        Watched(String task, Asked asks, long heard) {
            this.task = task;
            this.asks = asks;
            this.heard = heard;
        }
    }

    /** What one who watches has: closing it ends that. */
    public final class Watch implements AutoCloseable {
        private final String task;
        private final long incarnation;
        private final Consumer<OxbowException> then;
        private boolean lost;
        private boolean restarted;

        private Watch(String task, long incarnation, Consumer<OxbowException> then) {
            this.task = task;
            this.incarnation = incarnation;
            this.then = then;
        }

        @Override
        public void close() {
            synchronized (Health.this) {
                Watched w = tasks.get(task);
                if (w != null && w.watches.remove(this) && w.watches.isEmpty()) tasks.remove(task);
            }
        }
    }

    /** {@code clock} is as {@link System#nanoTime}; call {@link #look} {@link #LOOKS} times in {@code lostAfter}. */
    public Health(LongSupplier clock, Duration lostAfter) {
        this.clock = clock;
        this.lostAfter = lostAfter.toNanos();
        this.looked = clock.getAsLong();
    }

    /**
     * Watches a life of a task, or any where that is 0: {@code then} is told once when it is lost, and once when another life has taken its place,
     * by UNAVAILABLE and ABORTED errors that name it.
     */
    public Watch watch(String task, long incarnation, Asked asks, Consumer<OxbowException> then) {
        Watch w = new Watch(task, incarnation, then);
        synchronized (this) {
            Watched there = tasks.computeIfAbsent(task, _ -> new Watched(task, asks, clock.getAsLong()));
            there.heard = clock.getAsLong(); // who begins to watch a task has just heard of it
            there.watches.add(w);
        }
        return w;
    }

    /** Asks all, and gives up those who have not answered. */
    public void look() {
        List<Watched> ask = new ArrayList<>();
        List<Runnable> news = new ArrayList<>();
        synchronized (this) {
            long now = clock.getAsLong(), late = now - looked - lostAfter / LOOKS;
            looked = now;
            for (Watched w : tasks.values()) {
                if (late > 0) w.heard = Math.min(now, w.heard + late);
                if (now - w.heard > lostAfter) lost(w, (now - w.heard) / 1e9, news);
                if (w.asked == 2 * LOOKS) continue;
                w.asked++;
                ask.add(w);
            }
        }
        news.forEach(Runnable::run);
        for (Watched w : ask) w.asks.status(Duration.ofNanos(lostAfter), (devices, _) -> answered(w, devices));
    }

    private static void lost(Watched w, double seconds, List<Runnable> news) {
        OxbowException e = new OxbowException(
                        UNAVAILABLE, "the task gave no sign of life for %.1f s".formatted(seconds))
                .in(w.task);
        for (Watch x : w.watches) {
            if (!x.lost && !x.restarted) news.add(() -> x.then.accept(e));
            x.lost = true;
        }
    }

    private void answered(Watched w, List<DeviceSpec> devices) {
        List<Runnable> news = new ArrayList<>();
        synchronized (this) {
            w.asked--;
            if (devices == null) return;
            w.heard = clock.getAsLong();
            for (Watch x : w.watches) {
                if (x.restarted
                        || x.incarnation == 0
                        || devices.stream().anyMatch(d -> d.incarnation() == x.incarnation)) continue;
                x.restarted = true;
                OxbowException e = new OxbowException(
                                ABORTED, "the task was restarted: its life %016x is over".formatted(x.incarnation))
                        .in(w.task);
                news.add(() -> x.then.accept(e));
            }
        }
        news.forEach(Runnable::run);
    }

    /** How many tasks are watched. */
    public synchronized int size() {
        return tasks.size();
    }
}
