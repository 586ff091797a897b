package dev.oxbow.cluster.worker;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.StepContext;
import dev.oxbow.runtime.run.Program;
import dev.oxbow.runtime.trace.StepTrace;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.StepStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** Runs the part of one task in one step. */
final class StepRun {
    private final Step step;
    private final WorkerSession session;
    private final Registered graph;
    private final Engine engine;

    StepRun(Step step, WorkerSession session, Registered graph, Engine engine) {
        this.step = step;
        this.session = session;
        this.graph = graph;
        this.engine = engine;
    }

    /** Runs all of it; the feeds are there. */
    void whole(RunGraph r, Cancellation caller, BiConsumer<RunGraph.Result, OxbowException> then) {
        Tensor[] arguments = graph.arguments(r.feedKeys(), r.feeds());
        int[] wanted = r.fetchKeys().stream().mapToInt(graph::result).toArray();
        Program program = graph.whole();
        step.begin(session);
        StepTrace trace = r.traced() ? new StepTrace(graph.labels()) : null;
        long link = link(caller);
        start(program, arguments, trace, (results, error) -> {
            if (caller != null) caller.unregister(link);
            step.done();
            if (error == null) deliver(results, wanted, trace, then);
            else then.accept(null, error);
        });
    }

    /** Has the step end when the caller gives up. */
    private long link(Cancellation caller) {
        if (caller == null) return -1;
        long link = caller.register(step::end);
        if (link < 0) step.end(caller.reason());
        return link;
    }

    private void start(
            Program program, Tensor[] arguments, StepTrace trace, BiConsumer<Tensor[], OxbowException> then) {
        StepContext context = new StepContext(step.id, null, step.cancellation, step.rendezvous, trace);
        long bytes = 0;
        for (Tensor t : arguments) if (!t.dtype().isObject()) bytes += t.byteSize();
        graph.pace().run(bytes, executor -> program.start(context, arguments, session.state(), executor, then));
    }

    /** Gives on the results that were asked for, on the host, or why they cannot be brought there; others are let go. */
    private void deliver(
            Tensor[] results, int[] wanted, StepTrace trace, BiConsumer<RunGraph.Result, OxbowException> then) {
        List<Tensor> fetched = new ArrayList<>(wanted.length);
        StepStats stats = null;
        OxbowException error = null;
        try {
            engine.await();
            for (int w : wanted) fetched.add(onHost(results[w]));
            if (trace != null) stats = trace.stats();
        } catch (Throwable e) { // a device was lost after its last kernel had been enqueued
            error = Statuses.of(e);
        }
        for (Tensor t : results) t.release();
        if (error == null) {
            then.accept(new RunGraph.Result(fetched, stats), null);
            return;
        }
        for (Tensor t : fetched) t.release();
        then.accept(null, error);
    }

    private static Tensor onHost(Tensor t) {
        return t.isIn(Space.HOST) ? t.retain() : t.toHost();
    }

    /** Takes some feeds in and gives some fetches out; the first request starts the step, the last one awaits its end. */
    void partial(RunGraph r, Cancellation caller, BiConsumer<RunGraph.Result, OxbowException> then) {
        for (String k : r.feedKeys())
            require(graph.hasFeed(k), INVALID_ARGUMENT, "RunGraph: no value is fed by the key '%s'", k);
        for (String k : r.fetchKeys())
            require(graph.hasFetch(k), INVALID_ARGUMENT, "RunGraph: no value is fetched by the key '%s'", k);
        PartialStep partial = step.partial(session);
        if (partial.isFirst()) {
            Program program = graph.partial();
            start(program, new Tensor[0], null, (results, error) -> {
                step.done();
                partial.ended(error);
            });
        }
        long link = link(caller);
        for (int i = 0; i < r.feeds().size(); i++) {
            Tensor t = r.feeds().get(i);
            step.rendezvous.send(r.feedKeys().get(i), t.view(t.shape()));
        }
        Gathering g = new Gathering(r.fetchKeys().size(), r.last() ? 2 : 1, (result, error) -> {
            if (caller != null) caller.unregister(link);
            then.accept(result, error);
        });
        for (int i = 0; i < r.fetchKeys().size(); i++) {
            int number = i;
            step.rendezvous.take(r.fetchKeys().get(i), (t, error) -> g.arrived(number, t, error));
        }
        if (r.last()) partial.whenEnded(g::part);
        g.part(null);
    }

    /** The fetches of one request of a partial run, as they come. */
    private static final class Gathering {
        private final Tensor[] fetched;
        private final AtomicInteger left;
        private final BiConsumer<RunGraph.Result, OxbowException> then;
        private OxbowException error;

        Gathering(int fetches, int parts, BiConsumer<RunGraph.Result, OxbowException> then) {
            this.fetched = new Tensor[fetches];
            this.left = new AtomicInteger(fetches + parts);
            this.then = then;
        }

        void arrived(int i, Tensor t, Throwable e) {
            if (e == null && t == null)
                e = new OxbowException(
                        INVALID_ARGUMENT, "partial run: a fetched value is in a branch that was not taken");
            try {
                if (t != null) fetched[i] = onHost(t);
            } catch (Throwable lost) {
                e = lost;
            }
            if (t != null) t.release();
            part(e == null ? null : Statuses.of(e));
        }

        void part(OxbowException e) {
            synchronized (this) {
                if (error == null) error = e;
            }
            if (left.decrementAndGet() > 0) return;
            if (error == null) then.accept(new RunGraph.Result(List.of(fetched), null), null);
            else {
                for (Tensor t : fetched) if (t != null) t.release();
                then.accept(null, error);
            }
        }
    }
}
