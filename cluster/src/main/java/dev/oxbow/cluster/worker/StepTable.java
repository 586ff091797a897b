package dev.oxbow.cluster.worker;

import static dev.oxbow.tensor.ErrorCode.ABORTED;

import dev.oxbow.cluster.rpc.Gauge;
import dev.oxbow.cluster.rpc.Recent;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The steps that a task takes part in, by number. */
final class StepTable {

    /*
     * Messages of one step come in any order: another task may want a value before this one was told to run, or after all
     * is over. So whoever comes first makes the entry, and numbers of steps that have ended are kept, the newest of them:
     * who comes later still is refused instead of waiting for what nobody will make. An entry that nobody runs and nobody
     * asked for ends with the lease.
     */

    /** As TensorFlow keeps. */
    private static final int ENDED = 100_000;

    private final StepRendezvous.Source source;
    private final LongSupplier clock;
    private final Map<Long, Step> steps = new HashMap<>();
    private final Gauge gauge = new Gauge();
    private final Recent<Long> ended = new Recent<>(ENDED);
    private final Recent<Long> requests = new Recent<>(ENDED);

    StepTable(StepRendezvous.Source source, LongSupplier clock) {
        this.source = source;
        this.clock = clock;
    }

    /** The step with this number, made now if it is new; one that has ended is refused. */
    synchronized Step step(long id) {
        Step s = steps.get(id);
        if (s != null) {
            s.touched = clock.getAsLong();
            return s;
        }
        if (ended.contains(id)) throw new OxbowException(ABORTED, "step %d has ended in this task".formatted(id));
        s = new Step(id, new StepRendezvous(id, source), clock.getAsLong());
        steps.put(id, s);
        gauge.add(1);
        return s;
    }

    /** Refuses a request that was seen before; 0 is no number of one. */
    void seen(long request) {
        if (request == 0) return;
        if (!requests.add(request))
            throw new OxbowException(ABORTED, "request %d was seen before: it is not repeated".formatted(request));
    }

    /** Ends a step, if it has not ended; one that is not known yet will be refused. */
    void end(long id, OxbowException why) {
        Step s;
        synchronized (this) {
            s = steps.remove(id);
            ended.add(id);
        }
        if (s == null) return;
        s.end(why);
        gauge.add(-1);
    }

    /** Ends the steps of a session. */
    void endAll(Object session, OxbowException why) {
        for (Step s : all()) if (s.isOf(session)) end(s.id, why);
    }

    /** Ends all steps. */
    void endAll(OxbowException why) {
        for (Step s : all()) end(s.id, why);
    }

    /** Ends steps that nobody runs here and nobody has asked for in a lease. */
    void expire(Duration lease) {
        long now = clock.getAsLong();
        for (Step s : all())
            if (!s.isRunning() && now - s.touched > lease.toNanos())
                end(
                        s.id,
                        new OxbowException(
                                ABORTED,
                                "step %d: nobody has run it or asked for its values for %d ms"
                                        .formatted(s.id, lease.toMillis())));
    }

    /** The steps that are known. */
    synchronized List<Step> all() {
        return new ArrayList<>(steps.values());
    }

    /** How many steps it holds. */
    Gauge gauge() {
        return gauge;
    }
}
