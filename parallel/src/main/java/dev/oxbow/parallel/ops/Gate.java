package dev.oxbow.parallel.ops;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.graph.Resource;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;

/**
 * Where the gradients of many workers come together in front of the variables of one server: an update begins when so many
 * have come as it needs, one at a time, and every update counts the version up. Thread-safe.
 */
public final class Gate implements Resource {

    /*
     * Each (worker, step) counts once, however often and in whatever order it comes: what a worker has pushed is remembered
     * as a first step that is still missing and the ones beyond it.
     *
     * Pushes that wait for others belong to a round, that of their step. The round of step v is the update from version v to
     * v + 1; what comes for a step that is done, or that has enough already, is late and dropped. Pushes of workers that do
     * not wait for each other are rounds by themselves and take turns.
     *
     * Where a worker pushes to several gates, each holds its push until all have theirs: a worker that dies in between has
     * pushed nothing, or all of it, and whoever comes again in its place lets count what is held.
     *
     * Workers that may not be too far ahead of the slowest wait for those that are members: one that has left, or was lost,
     * is waited for no more, and one that comes begins where the slowest of the others is.
     *
     * The update is run by whoever completes the round, but not in the step of that worker: it must end as a whole even when
     * that worker is gone. An update that fails may have changed some variables and not others, so that nothing can be said of
     * the state any more: from then on everybody who comes is told, until the container is reset and the state restored.
     *
     * Callbacks run outside of the monitor, since what follows may come back here.
     */

    /** What became of a push. */
    public enum Outcome {
        TAKEN,
        /** It counts once {@link #commit} says so. */
        HELD,
        /** The worker has pushed this step before. */
        REPEATED,
        /** Others have completed the step. */
        LATE,
        /** What it was computed from was no one version. */
        MIXED
    }

    /** Runs an update on borrowed values; the callback may come on any thread, once. */
    @FunctionalInterface
    public interface Update {
        void run(List<Tensor> values, BiConsumer<List<Tensor>, Throwable> then);
    }

    /**
     * What one worker brings. Its values belong to the gate.
     *
     * @param quorum how many pushes of one step make an update; 0 for one that is an update by itself
     * @param kind what must be alike in all pushes of a step
     */
    public record Push(long worker, long step, int quorum, String kind, List<Tensor> values, Update update) {
        private void release() {
            values.forEach(Tensor::release);
        }
    }

    /** How many pushes there were of each kind. */
    public record Counts(long version, long taken, long repeated, long late, long mixed) {}

    /** A push that does not count yet. */
    private record Held(Push push, long run, long[] versions) {}

    private record Round(TreeMap<Long, Push> pushes, BiConsumer<Outcome, Throwable> then) {
        void release() {
            pushes.values().forEach(Push::release);
        }
    }

    /** Somebody who waits for a version, or, where {@code workers} is more than 0, for the slowest of so many workers. */
    private record Wait(long least, int workers, BiConsumer<Long, Throwable> then) {}

    private final String name;
    /** Tells this gate from one of the same name that was there before, whose server was lost. */
    private final long life = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);

    private final Roll roll = new Roll();
    private final Map<Long, Held> held = new HashMap<>();
    /** By worker, the last run of which a push that was held has counted. */
    private final Map<Long, Long> committed = new HashMap<>();

    private final Map<Long, Round> open = new HashMap<>();
    private final Deque<Round> turns = new ArrayDeque<>();
    private final List<Wait> waits = new ArrayList<>();
    private long version;
    private boolean updating;
    private long taken;
    private long repeated;
    private long late;
    private long mixed;
    private OxbowException broken;

    public Gate(String name) {
        this.name = name;
    }

    public synchronized Counts counts() {
        return new Counts(version, taken, repeated, late, mixed);
    }

    /**
     * Takes a push. {@code then} is told what became of it: of one that waits for others at once, of one that is an update by
     * itself when that has ended.
     *
     * @param versions of what it was computed from; where one is not the step, it belongs to no step
     */
    public void push(Push p, long[] versions, BiConsumer<Outcome, Throwable> then) {
        Runnable after;
        synchronized (this) {
            after = taken(p, versions, then);
        }
        after.run();
    }

    /**
     * Keeps a push until {@link #commit}; it takes the place of what the same worker has left behind.
     *
     * @param run what all pushes of a run of the worker have alike, at all gates
     */
    public void hold(Push p, long run, long[] versions, BiConsumer<Outcome, Throwable> then) {
        Runnable after;
        synchronized (this) {
            if (broken != null) after = () -> refuse(p, then, broken);
            else if (roll.of(p.worker).has(p.step)) after = dropped(p, Outcome.REPEATED, then);
            else {
                Held before = held.put(p.worker, new Held(p, run, versions));
                after = () -> {
                    if (before != null) before.push.release();
                    then.accept(Outcome.HELD, null);
                };
            }
        }
        after.run();
    }

    /** Lets count what is held of a run of a worker, as {@link #push} does; nothing where that has been done before. */
    public void commit(long worker, long run, BiConsumer<Outcome, Throwable> then) {
        Runnable after;
        synchronized (this) {
            Held h = held.get(worker);
            if (h == null || h.run != run) {
                OxbowException why = broken;
                after = () -> then.accept(why == null ? Outcome.REPEATED : null, why);
            } else {
                held.remove(worker);
                committed.put(worker, run);
                after = taken(h.push, h.versions, then);
            }
        }
        after.run();
    }

    private Runnable taken(Push p, long[] versions, BiConsumer<Outcome, Throwable> then) {
        if (broken != null) return () -> refuse(p, then, broken);
        for (long v : versions) if (v != p.step) return dropped(p, Outcome.MIXED, then);
        Round round = p.quorum == 0 ? null : open.get(p.step);
        String kind = round == null ? p.kind : round.pushes.firstEntry().getValue().kind;
        if (!kind.equals(p.kind)) {
            OxbowException other = new OxbowException(
                    FAILED_PRECONDITION,
                    "gate '%s': worker %d pushes %s for step %d, others have pushed %s: all workers must run the same graph in the same order"
                            .formatted(name, p.worker, p.kind, p.step, kind));
            return () -> refuse(p, then, other);
        }
        if (p.quorum > 0 && (p.step < version || updating && p.step == version)) {
            boolean first = roll.of(p.worker).add(p.step);
            return dropped(p, first ? Outcome.LATE : Outcome.REPEATED, then);
        }
        if (!roll.of(p.worker).add(p.step)) return dropped(p, Outcome.REPEATED, then);
        taken++;
        if (p.quorum == 0) {
            turns.add(new Round(new TreeMap<>(Map.of(p.worker, p)), then));
            return next();
        }
        open.computeIfAbsent(p.step, _ -> new Round(new TreeMap<>(), null))
                .pushes
                .put(p.worker, p);
        Runnable begin = next();
        return () -> {
            begin.run();
            then.accept(Outcome.TAKEN, null);
        };
    }

    private static void refuse(Push p, BiConsumer<Outcome, Throwable> then, Throwable why) {
        p.release();
        then.accept(null, why);
    }

    private Runnable dropped(Push p, Outcome how, BiConsumer<Outcome, Throwable> then) {
        switch (how) {
            case REPEATED -> repeated++;
            case LATE -> late++;
            case MIXED -> mixed++;
            case TAKEN, HELD -> throw new IllegalArgumentException(how.toString());
        }
        return () -> {
            p.release();
            then.accept(how, null);
        };
    }

    /** What begins the next update, if one can begin. */
    private Runnable next() {
        if (updating || broken != null) return () -> {};
        Round round = turns.poll();
        if (round == null) {
            Round r = open.get(version);
            if (r == null || r.pushes.size() < r.pushes.firstEntry().getValue().quorum) return () -> {};
            round = open.remove(version);
        }
        updating = true;
        Round now = round;
        return () -> run(now);
    }

    private void run(Round r) {
        List<Tensor> all = new ArrayList<>();
        for (Push p : r.pushes.values()) all.addAll(p.values);
        r.pushes.lastEntry().getValue().update.run(all, (results, error) -> {
            if (results != null) results.forEach(Tensor::release);
            r.release();
            ended(r, error);
        });
    }

    private void ended(Round r, Throwable error) {
        List<Runnable> after = new ArrayList<>();
        synchronized (this) {
            updating = false;
            if (error == null) version++;
            else if (broken == null)
                broken = new OxbowException(
                        ABORTED,
                        "gate '%s': the update of version %d failed and may have been done in part: restore the state: %s"
                                .formatted(name, version, error.getMessage()),
                        error);
            OxbowException why = broken;
            if (r.then != null) after.add(() -> r.then.accept(why == null ? Outcome.TAKEN : null, why));
            served(after);
            if (why == null) after.add(next());
            else after.addAll(forsaken(why));
        }
        after.forEach(Runnable::run);
    }

    /** The first step that a worker has not pushed. */
    public synchronized long missing(long worker) {
        return roll.missing(worker);
    }

    /**
     * Adds those of so many workers for whom others wait: to push what completes a round or, where {@code staleness} is not
     * negative, to be no more than so many steps behind.
     */
    synchronized void addMissing(int workers, int staleness, Set<Long> to) {
        if (broken != null) return;
        Round next = updating ? null : open.get(version);
        for (long w = 0; next != null && w < workers; w++) if (!next.pushes.containsKey(w)) to.add(w);
        if (staleness >= 0) roll.addSlower(staleness, workers, to);
    }

    /** What {@link GateState} gives. */
    synchronized long[] state(long worker) {
        Held h = held.get(worker);
        return new long[] {
            version, missing(worker), h == null ? -1 : h.run, committed.getOrDefault(worker, -1L), life, taken
        };
    }

    /** What another gate takes over: the version, how many pushes it has taken, and what it knows of workers. */
    synchronized long[] exported() {
        return roll.exported(committed, version, taken);
    }

    /** Takes over what {@link #exported} gave, where it has taken nothing itself yet. */
    void imported(long[] state) {
        change(() -> {
            if (taken > 0) return;
            version = state[0];
            taken = state[1];
            roll.imported(committed, state, 2);
        });
    }

    /** A worker comes, maybe again: its next step is {@code first}, or where the slowest of the others is, if that is later. */
    public void join(long worker, long its, long first) {
        change(() -> roll.join(worker, its, first));
    }

    /** A life of a worker is over: nobody waits for it any more, unless another has begun. */
    public void leave(long worker, long its) {
        change(() -> roll.leave(worker, its));
    }

    /** Tells those whose wait is over with such a change. */
    private void change(Runnable what) {
        List<Runnable> after = new ArrayList<>();
        synchronized (this) {
            what.run();
            served(after);
        }
        after.forEach(Runnable::run);
    }

    /** Waits until the version is at least so much and no update runs; {@code then} gets the version, on any thread. */
    public Runnable await(long least, int workers, BiConsumer<Long, Throwable> then) {
        Wait w = new Wait(least, workers, then);
        change(() -> waits.add(w));
        return () -> {
            synchronized (this) {
                waits.remove(w);
            }
        };
    }

    private void served(List<Runnable> after) {
        for (Iterator<Wait> it = waits.iterator(); it.hasNext(); ) {
            Wait w = it.next();
            long now = version;
            OxbowException why = broken;
            if (why != null) after.add(() -> w.then.accept(null, why));
            else if (isThere(w)) after.add(() -> w.then.accept(now, null));
            else continue;
            it.remove();
        }
    }

    private boolean isThere(Wait w) {
        if (w.workers == 0) return version >= w.least && !updating;
        if (w.least <= 0) return true;
        return roll.size() >= w.workers && roll.haveAll(w.least);
    }

    /** Those who wait for an update that will not come. */
    private List<Runnable> forsaken(OxbowException why) {
        List<Runnable> after = new ArrayList<>();
        for (Round r : turns) {
            if (r.then != null) after.add(() -> r.then.accept(null, why));
            after.add(r::release);
        }
        for (Round r : open.values()) after.add(r::release);
        for (Held h : held.values()) after.add(h.push::release);
        held.clear();
        turns.clear();
        open.clear();
        return after;
    }

    @Override
    public void close() {
        List<Runnable> after = new ArrayList<>();
        synchronized (this) {
            if (broken == null) broken = new OxbowException(CANCELLED, "gate '%s' was deleted".formatted(name));
            served(after);
            after.addAll(forsaken(broken));
        }
        after.forEach(Runnable::run);
    }

    @Override
    public String kind() {
        return "gate";
    }
}
