package dev.oxbow.cluster.master;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.rpc.Schedule;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits until tasks are up, and learns their devices. */
final class Arrival {
    static final Duration FOREVER = Duration.ofDays(36_500);
    static final Duration MOMENT = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(Arrival.class);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration TOLD = Duration.ofSeconds(10);

    private final List<Worker> workers;
    private final Schedule schedule;
    private final Duration patience;
    private final Cancellation caller;
    private final long start;
    private final Map<TaskName, List<DeviceSpec>> known = new LinkedHashMap<>();
    private long told;
    private BiConsumer<List<DeviceSpec>, OxbowException> then;

    /** Waits so long, or until the caller gives up. */
    Arrival(Collection<Worker> workers, Schedule schedule, Duration patience, Cancellation caller) {
        this.workers = List.copyOf(workers);
        this.schedule = schedule;
        this.patience = patience;
        this.caller = caller;
        this.start = schedule.nanoTime();
        this.told = start - TOLD.toNanos(); // at once, and then now and then
    }

    /** Gives the devices of all tasks, in the order of the tasks, or an error that names those that are missing. */
    void await(BiConsumer<List<DeviceSpec>, OxbowException> to) {
        then = to;
        workers.forEach(this::ask);
    }

    /** One that was stopped takes questions and answers none: the wait for an answer ends with the patience. */
    private void ask(Worker w) {
        long left = patience.toNanos() - (schedule.nanoTime() - start);
        Duration answer = Duration.ofNanos(Math.clamp(left, 1_000_000, ANSWER.toNanos()));
        w.status(answer, (devices, error) -> {
            if (error != null) missing(w, error);
            else arrived(w, devices);
        });
    }

    private void arrived(Worker w, List<DeviceSpec> devices) {
        List<DeviceSpec> all = new ArrayList<>();
        synchronized (this) {
            known.put(w.task(), devices);
            if (then == null || known.size() < workers.size()) return;
            for (Worker each : workers) all.addAll(known.get(each.task()));
        }
        end(all, null);
    }

    private void missing(Worker w, OxbowException error) {
        long now = schedule.nanoTime();
        if (caller.isCancelled()) {
            end(null, caller.reason());
            return;
        }
        if (now - start >= patience.toNanos()) {
            end(
                    null,
                    new OxbowException(
                            DEADLINE_EXCEEDED,
                            "CreateSession: %s did not come up within %d ms: %s"
                                    .formatted(absent(), patience.toMillis(), error.getMessage())));
            return;
        }
        synchronized (this) {
            if (then == null) return;
            if (now - told >= TOLD.toNanos()) {
                told = now;
                LOG.info("CreateSession still waiting for response from worker: {}", absent());
            }
        }
        schedule.after(PAUSE, () -> ask(w));
    }

    private synchronized List<TaskName> absent() {
        return workers.stream()
                .map(Worker::task)
                .filter(t -> !known.containsKey(t))
                .toList();
    }

    private void end(List<DeviceSpec> devices, OxbowException error) {
        BiConsumer<List<DeviceSpec>, OxbowException> to;
        synchronized (this) {
            to = then;
            then = null;
        }
        if (to != null) to.accept(devices, error);
    }
}
