package dev.oxbow.cluster.master;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;

import dev.oxbow.cluster.master.ClusterProgram.TaskPart;
import dev.oxbow.cluster.worker.RunGraph;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.CostGraphDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.StepStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/** One step, or one request of a partial run: asks all workers that take part, and joins their answers. */
final class ClusterStep {

    /**
     * What a step gives: fetched values in the order asked for, one reference each; what it did, its parts and their costs, if
     * asked for.
     */
    record Result(Tensor[] fetched, StepStats stats, List<GraphDef> partitions, CostGraphDef costs) {
        void release() {
            for (Tensor t : fetched) if (t != null) t.release();
        }
    }

    private final int parts;
    private final Cancellation caller;
    private final Cancellation stop = new Cancellation();
    private final long link;
    private final Tensor[] fetched;
    private final List<Alignment.Told> stats;
    private final BiConsumer<Result, OxbowException> then;
    private OxbowException error;
    private int answers;

    private ClusterStep(
            int parts, int fetches, boolean traced, Cancellation caller, BiConsumer<Result, OxbowException> then) {
        this.parts = parts;
        this.caller = caller;
        this.fetched = new Tensor[fetches];
        this.stats = traced ? new ArrayList<>() : null;
        this.then = then;
        this.link = caller.register(stop::cancel);
        if (link < 0) stop.cancel(caller.reason());
    }

    /** Runs a whole step; {@code then} gets its end, after which the workers are told to forget it. */
    static void run(
            ClusterProgram program,
            long id,
            List<Tensor> feeds,
            boolean traced,
            Cancellation cancellation,
            BiConsumer<Result, OxbowException> then) {
        List<TaskPart> parts = program.parts();
        ClusterStep step = new ClusterStep(parts.size(), program.fetches(), traced, cancellation, (result, error) -> {
            then.accept(result, error);
            for (TaskPart p : parts) p.worker().cleanup(id);
        });
        if (parts.isEmpty()) {
            step.finish();
            return;
        }
        // those of other tasks first: the own one may keep this thread
        for (int i = parts.size() - 1; i >= 0; i--) {
            TaskPart p = parts.get(i);
            List<Tensor> fed = new ArrayList<>(p.feeds().length);
            for (int f : p.feeds()) fed.add(feeds.get(f));
            RunGraph run = new RunGraph(
                    program.session(), p.graph(), id, p.feedKeys(), fed, p.fetchKeys(), false, false, traced);
            p.worker().run(run, step.stop, (result, e) -> step.answered(p.worker(), p.fetches(), result, e));
        }
    }

    /** One request of a partial run: {@code runs} has what each part is to do, and {@code fetches} where its values go. */
    static void partial(
            List<TaskPart> parts,
            List<RunGraph> runs,
            List<int[]> fetches,
            int wanted,
            Cancellation cancellation,
            BiConsumer<Result, OxbowException> then) {
        ClusterStep step = new ClusterStep(parts.size(), wanted, false, cancellation, then);
        if (parts.isEmpty()) step.finish();
        for (int i = parts.size() - 1; i >= 0; i--) {
            int[] to = fetches.get(i);
            Worker w = parts.get(i).worker();
            w.run(runs.get(i), step.stop, (result, e) -> step.answered(w, to, result, e));
        }
    }

    private void answered(Worker by, int[] to, RunGraph.Result result, OxbowException e) {
        boolean first, last;
        synchronized (this) {
            first = e != null && error == null;
            if (e != null && (error == null || weight(e) > weight(error))) error = e;
            if (result != null)
                for (int i = 0; i < to.length; i++)
                    fetched[to[i]] = result.fetched().get(i);
            if (result != null && result.stats() != null && stats != null)
                stats.add(new Alignment.Told(by, result.stats()));
            last = ++answers == parts;
        }
        if (first) stop.cancel(new OxbowException(CANCELLED, "the step failed in another task: " + e.getMessage()));
        if (last) finish();
    }

    /** How likely an error is the cause of the others. */
    private static int weight(OxbowException e) {
        return switch (e.code()) {
            case CANCELLED -> 0;
            case ABORTED -> 1;
            case UNAVAILABLE -> 2;
            default -> 3;
        };
    }

    private void finish() {
        if (link >= 0) caller.unregister(link);
        if (error == null) {
            if (stats == null) then.accept(new Result(fetched, null, List.of(), null), null);
            else Alignment.run(stats, all -> then.accept(new Result(fetched, all, List.of(), null), null));
            return;
        }
        for (Tensor t : fetched) if (t != null) t.release();
        Arrays.fill(fetched, null);
        boolean cancelled = caller.isCancelled() && weight(error) < 2;
        then.accept(null, cancelled ? caller.reason() : error);
    }
}
