package dev.oxbow.parallel;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.parallel.Servers.Hidden;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Pulls what the next step of a worker needs while the worker does something else. */
final class Pulling {

    /*
     * A pull is a run beside the worker's own. What it brings belongs to a step at each server: where the worker has gone on to
     * another since, or has set something, it is dropped, and the step pulls for itself. Where a pull fails, too, so that the
     * step says what is wrong. Rows are those of a batch that was announced, whose indices are copied, as tensors may be written
     * to and used again: where the step is fed something else, they are dropped.
     */

    /** One pull, under way or done. */
    private record Trip(
            List<Ahead.Pull> what,
            long[] steps,
            Map<Integer, Tensor> fed,
            Cancellation end,
            CompletableFuture<Results> results) {}

    /** What a step is fed, by name; the step closes it. */
    record Given(Map<String, Tensor> values, Results all) implements AutoCloseable {
        static final Given NOTHING = new Given(Map.of(), null);

        void feed(SentRuns.Sent run, Session.Run to) {
            for (Ahead.Pull p : run.pulls()) {
                Tensor value = values.get(p.name());
                if (value != null) to.feed(p.value(), value);
            }
        }

        @Override
        public void close() {
            if (all != null) all.close();
        }
    }

    private final Served plan;
    private Trip trip;
    private List<Edge> feeds = List.of();
    private List<Tensor> announced = List.of();

    Pulling(Served plan) {
        this.plan = plan;
    }

    /** Whether a step may be given what is older than the worker's last push. */
    private boolean isAnyStep() {
        return plan.staleness() == Served.ANY;
    }

    /** What the step behind the next one is fed. */
    void announce(List<Edge> feeds, List<Tensor> values) {
        this.feeds = List.copyOf(feeds);
        this.announced = List.copyOf(values);
    }

    /** A run that trains is about to begin: what the next one needs may be pulled beside it, where nobody waits. */
    void before(
            Session cluster, Cycles.Cycle cycle, SentRuns.Sent run, List<Edge> own, long[] steps, RunOptions options) {
        if (!run.trains() || !isAnyStep()) return;
        SentRuns.Sent next = cycle.next(plan, run);
        begin(cluster, next, cycle.nextPulls(plan) ? next.pulls() : rows(next.pulls()), own, steps, options);
    }

    /** A run that trains has ended, and the steps are those of the next one. */
    void behind(Session cluster, SentRuns.Sent run, List<Edge> own, long[] steps, RunOptions options) {
        if (run.trains() && !isAnyStep())
            begin(cluster, run, run.pulls(), own, steps, RunOptions.timeout(options.timeout()));
    }

    /** What is pulled in steps, too, that have their parameters. */
    private static List<Ahead.Pull> rows(List<Ahead.Pull> all) {
        return all.stream().filter(p -> !p.feeds().isEmpty()).toList();
    }

    /**
     * Begins to pull some of what such a run can be given.
     *
     * @param own what the run is fed, in the order of its numbers
     * @param steps of the worker, by server
     */
    private void begin(
            Session cluster,
            SentRuns.Sent run,
            List<Ahead.Pull> wanted,
            List<Edge> own,
            long[] steps,
            RunOptions options) {
        drop();
        Map<Integer, Tensor> known = new HashMap<>(), fed = new HashMap<>();
        run.feeds().forEach((i, edge) -> {
            int at = feeds.indexOf(own.get(i));
            if (at >= 0 && canBe(announced.get(at), edge)) known.put(i, announced.get(at));
        });
        announce(List.of(), List.of());
        List<Ahead.Pull> what = wanted.stream()
                .filter(p -> known.keySet().containsAll(p.feeds()))
                .toList();
        if (what.isEmpty()) return;
        for (Ahead.Pull p : what) for (int i : p.feeds()) fed.computeIfAbsent(i, _ -> copy(known.get(i)));
        Trip now = new Trip(what, steps.clone(), fed, new Cancellation(), new CompletableFuture<>());
        trip = now;
        Thread.ofVirtual().name("oxbow-pull").start(() -> {
            try {
                now.results.complete(pull(cluster, run, now, options));
            } catch (RuntimeException | Error e) {
                now.results.completeExceptionally(e);
            }
        });
    }

    private static boolean canBe(Tensor t, Edge fed) {
        return !t.isClosed()
                && t.dtype() == fed.type().dtype()
                && !t.dtype().isObject()
                && t.shape().equals(fed.type().shape());
    }

    private static Tensor copy(Tensor t) {
        return Tensor.ofBytes(t.dtype(), t.shape(), ByteBuffer.wrap(t.bytes()));
    }

    private static Results pull(Session cluster, SentRuns.Sent sent, Trip trip, RunOptions options) {
        Session.Run run = cluster.fetch(
                        trip.what.stream().map(Ahead.Pull::value).toArray(Edge[]::new))
                .options(new RunOptions(options.timeout(), trip.end, null, options.tracer()));
        trip.fed.forEach((i, value) -> run.feed(sent.feeds().get(i), value));
        List<Tensor> own = new ArrayList<>();
        try {
            sent.hidden().forEach((number, edge) -> {
                if (Hidden.of(number) != Hidden.STEP) return;
                own.add(Gates.number(trip.steps[Hidden.server(number) % trip.steps.length]));
                run.feed(edge, own.getLast());
            });
            return run.run();
        } finally {
            own.forEach(Tensor::close);
        }
    }

    /** Waits for what was pulled, and gives what of it is of these steps, for a run on such feeds. */
    Given taken(Cycles.Cycle cycle, long[] steps, List<Tensor> values, Cancellation given) {
        if (trip == null || !cycle.trains()) return Given.NOTHING;
        Trip t = trip;
        trip = null;
        long waits = given.register(t.end::cancel);
        if (waits < 0) t.end.cancel(given.reason());
        try {
            Results all = t.results.get();
            Map<String, Tensor> there = new HashMap<>();
            for (int i = 0; i < all.size(); i++)
                if (isOf(t, t.what.get(i), steps, values))
                    there.put(t.what.get(i).name(), all.get(i));
            return new Given(there, all);
        } catch (ExecutionException e) {
            return Given.NOTHING; // the step finds out by itself
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            t.end.cancel(ErrorCode.CANCELLED, "the worker was interrupted");
            t.results.thenAccept(Results::close);
            return Given.NOTHING;
        } finally {
            given.unregister(waits);
            t.fed.values().forEach(Tensor::close);
        }
    }

    private boolean isOf(Trip t, Ahead.Pull what, long[] steps, List<Tensor> values) {
        for (int k : what.servers()) if (!isAnyStep() && t.steps[k] != steps[k]) return false;
        for (int i : what.feeds()) if (!isSame(t.fed.get(i), values.get(i))) return false;
        return true;
    }

    private static boolean isSame(Tensor said, Tensor is) {
        return said.shape().equals(is.shape()) && Arrays.equals(said.bytes(), is.bytes());
    }

    /** Lets go of what was pulled, and ends what is under way. */
    void drop() {
        Trip t = trip;
        trip = null;
        if (t == null) return;
        t.end.cancel(ErrorCode.CANCELLED, "what is pulled ahead is not needed");
        t.results.whenComplete((all, _) -> {
            if (all != null) all.close();
            t.fed.values().forEach(Tensor::close);
        });
    }
}
