package dev.oxbow.parallel.ops;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;

import dev.oxbow.graph.Resource;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Where the values that workers have in the middle of a step come together, and all of them get all. Thread-safe. */
final class Assembly implements Resource {

    /*
     * Rounds have tags that rise but need not follow each other. The round of a tag is complete when so many workers have
     * come; it stays for those who are still to come, and goes when all have had it or when newer ones are complete. Somebody
     * whose round has gone, a straggler that the others did not wait for, gets the newest.
     */

    private static final int KEPT = 4;

    private record Taker(long worker, BiConsumer<List<Tensor>, Throwable> then) {}

    private static final class Round {
        final TreeMap<Long, List<Tensor>> values = new TreeMap<>();
        final List<Taker> takers = new ArrayList<>();
        boolean complete;
        int taken;

        List<Tensor> all() {
            List<Tensor> all = new ArrayList<>();
            for (List<Tensor> one : values.values()) for (Tensor t : one) all.add(t.retain());
            return all;
        }

        void release() {
            for (List<Tensor> one : values.values()) one.forEach(Tensor::release);
        }
    }

    private final String name;
    private final Map<Long, Round> rounds = new HashMap<>();
    private final TreeMap<Long, Round> complete = new TreeMap<>();
    private OxbowException closed;

    Assembly(String name) {
        this.name = name;
    }

    /**
     * Brings the values of a worker, which belong to the assembly then; {@code then} gets those of the first {@code quorum} of
     * {@code workers}, in the order of the workers, with a reference for each.
     */
    Runnable bring(
            long worker,
            long tag,
            int quorum,
            int workers,
            List<Tensor> values,
            BiConsumer<List<Tensor>, Throwable> then) {
        List<Runnable> after = new ArrayList<>();
        Taker taker = new Taker(worker, then);
        synchronized (this) {
            if (closed != null) {
                OxbowException why = closed;
                after.add(() -> then.accept(null, why));
                values.forEach(Tensor::release);
            } else bring(taker, tag, quorum, workers, values, after);
        }
        after.forEach(Runnable::run);
        return () -> {
            synchronized (this) {
                Round r = rounds.get(tag);
                if (r != null) r.takers.remove(taker);
            }
        };
    }

    private void bring(Taker t, long tag, int quorum, int workers, List<Tensor> values, List<Runnable> after) {
        Round newest = complete.isEmpty() ? null : complete.lastEntry().getValue();
        Round r = rounds.get(tag);
        if (r == null && newest != null && complete.firstKey() > tag) {
            values.forEach(Tensor::release);
            List<Tensor> all = newest.all();
            after.add(() -> t.then.accept(all, null));
            return;
        }
        if (r == null) rounds.put(tag, r = new Round());
        if (r.complete || r.values.containsKey(t.worker)) values.forEach(Tensor::release);
        else r.values.put(t.worker, values);
        r.takers.add(t);
        if (!r.complete && r.values.size() == quorum) {
            r.complete = true;
            complete.put(tag, r);
        }
        if (r.complete) give(tag, r, workers, after);
    }

    private void give(long tag, Round r, int workers, List<Runnable> after) {
        for (Taker t : r.takers) {
            List<Tensor> all = r.all();
            r.taken++;
            after.add(() -> t.then.accept(all, null));
        }
        r.takers.clear();
        if (r.taken >= workers && complete.lastKey() != tag) drop(tag);
        while (complete.size() > KEPT) drop(complete.firstKey());
    }

    /** Adds those of so many workers who have not come to the newest round that others have come to. */
    synchronized void addMissing(int workers, Set<Long> to) {
        Round newest = rounds.isEmpty() ? null : rounds.get(Collections.max(rounds.keySet()));
        if (newest == null || newest.complete) return;
        for (long w = 0; w < workers; w++) if (!newest.values.containsKey(w)) to.add(w);
    }

    private void drop(long tag) {
        rounds.remove(tag);
        complete.remove(tag).release();
    }

    @Override
    public void close() {
        List<Runnable> after = new ArrayList<>();
        synchronized (this) {
            closed = new OxbowException(CANCELLED, "assembly '%s' was deleted".formatted(name));
            for (Round r : rounds.values()) {
                for (Taker t : r.takers) after.add(() -> t.then.accept(null, closed));
                r.release();
            }
            rounds.clear();
            complete.clear();
        }
        after.forEach(Runnable::run);
    }

    @Override
    public String kind() {
        return "assembly";
    }
}
