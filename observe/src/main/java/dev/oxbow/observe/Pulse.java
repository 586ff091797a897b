package dev.oxbow.observe;

import com.sun.management.OperatingSystemMXBean;
import dev.oxbow.collective.Communicator;
import dev.oxbow.observe.run.Requests;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread beside training: tells each second how the process does, does what steps leave to it, and looks for what somebody asks
 * of the run ({@link Requests}).
 */
final class Pulse implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pulse.class);
    private static final long BEAT_NANOS = 1_000_000_000;
    private static final int MOST = 64;

    private final RunLog log;
    private final Communicator job;
    private final LongSupplier step;
    private final Path asked;
    private final LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>(MOST);
    private final Thread thread;
    private volatile boolean closed;
    private volatile boolean stop;
    private volatile long trace = -1;

    Pulse(RunLog log, Communicator job, LongSupplier step) {
        this.log = log;
        this.job = job;
        this.step = step;
        this.asked =
                job == null || job.rank() == 0 ? log.folder() : log.folder().getParent();
        this.thread = Thread.ofPlatform().daemon().name("pulse").start(this::run);
    }

    /** Does something soon; whether it will: where too much is left to do, it is dropped. */
    boolean later(Runnable what) {
        boolean taken = work.offer(what);
        if (!taken) log.stream().publish(new Event.Said(30, "too much to describe: something was left out"));
        return taken;
    }

    boolean wantsStop() {
        return stop;
    }

    boolean wantsTrace(long next) {
        return next == trace;
    }

    private void run() {
        long beat = System.nanoTime();
        try {
            while (true) {
                boolean last = closed;
                Runnable next = work.poll(Math.max(0, last ? 0 : beat - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (next != null) doing(next);
                else if (last) return;
                if (System.nanoTime() < beat) continue;
                beat = System.nanoTime() + BEAT_NANOS;
                doing(this::beat);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void doing(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException e) {
            LOG.warn("something of this run can not be shown: {}", e.toString());
        }
    }

    private void beat() {
        Map<String, Double> all = new LinkedHashMap<>();
        Runtime jvm = Runtime.getRuntime();
        all.put("heap_bytes", (double) jvm.totalMemory() - jvm.freeMemory());
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os)
            all.put("cpu", os.getProcessCpuLoad() * os.getAvailableProcessors());
        resident(all);
        if (job != null) {
            long[] waits = job.trace().waitedNanos();
            for (int r = 0; r < waits.length; r++)
                if (r != job.rank()) all.put("waited_for_" + r + "_ms", waits[r] / 1e6);
        }
        log.stream().publish(new Event.Health(step.getAsLong(), all));
        look();
    }

    /** The memory that the system counts for this process, where it says so. */
    private static void resident(Map<String, Double> all) {
        try {
            String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
            all.put("memory_bytes", Double.parseDouble(pages[1]) * 4096);
        } catch (IOException | RuntimeException e) {
            return; // another system
        }
    }

    private void look() {
        stop |= Requests.isStopped(asked);
        try {
            trace = Requests.traced(asked);
        } catch (IOException e) {
            LOG.warn("no step is traced: {}", e.toString());
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            later(() -> doing(this::beat));
            if (!thread.join(Duration.ofSeconds(10))) thread.interrupt();
            if (asked.equals(log.folder())) Requests.clear(asked);
        } catch (IOException e) {
            LOG.warn("what was asked of this run is left in its folder: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
