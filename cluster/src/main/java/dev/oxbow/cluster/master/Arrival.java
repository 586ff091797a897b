package dev.oxbow.cluster.master;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.rpc.Loops;
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
    private final Loops loops;
    private final Duration patience;
    private final Cancellation caller;
    private final long start = System.nanoTime();
    private final Map<TaskName, List<DeviceSpec>> known = new LinkedHashMap<>();
    private long told = start - TOLD.toNanos(); // at once, and then now and then
    private BiConsumer<List<DeviceSpec>, OxbowException> then;

    /** Waits so long, or until the caller gives up. */
    Arrival(Collection<Worker> workers, Loops loops, Duration patience, Cancellation caller) {
        this.workers = List.copyOf(workers);
        this.loops = loops;
        this.patience = patience;
        this.caller = caller;
    }

    /** Gives the devices of all tasks, in the order of the tasks, or an error that names those that are missing. */
    void await(BiConsumer<List<DeviceSpec>, OxbowException> to) {
        then = to;
        workers.forEach(this::ask);
    }

    private void ask(Worker w) {
        w.status(ANSWER, (devices, error) -> {
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
        long now = System.nanoTime();
        if (caller.isCancelled()) {
            end(null, caller.reason());
            return;
        }
        if (now - start > patience.toNanos()) {
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
        loops.after(PAUSE, () -> ask(w));
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
