package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Progress;
import dev.oxbow.graph.SumOfProducts;
import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.kernels.numeric.Gemm;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.RunRewrite;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.StepContext;
import dev.oxbow.runtime.plan.Explain;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** A session on the devices of this process. */
final class LocalSession implements Session {
    private final Graph graph;
    private final Engine engine;
    private final boolean ownsEngine;
    private final SessionOptions options;
    private final SessionState state;
    private final ProgramCache programs;
    private final Runs runs = new Runs();
    private final InFlight inFlight;

    /** The service that makes asynchronous ops move; null where there is none, or several, which threads of their own move. */
    private final Progress progress;

    private boolean closed;

    LocalSession(Graph graph, Engine engine, boolean ownsEngine, SessionOptions options) {
        this.graph = graph;
        this.engine = engine;
        this.ownsEngine = ownsEngine;
        this.options = options;
        this.state = new SessionState(engine, options);
        this.programs = new ProgramCache(graph, engine, state, options);
        this.inFlight = new InFlight(engine, options.stepsInFlight());
        List<Progress> found = options.services().values().stream()
                .filter(Progress.class::isInstance)
                .map(Progress.class::cast)
                .toList();
        this.progress = found.size() == 1 ? found.getFirst() : null;
        KernelLevel.current(); // a level that does not exist is an error here, not in the first kernel
        if (graph.nodes().stream().anyMatch(n -> n.op() instanceof SumOfProducts)) Gemm.prepare();
    }

    @Override
    public PartialRun partialRun(List<String> feeds, List<String> fetches, List<String> targets) {
        runs.requireOpen();
        require(
                options.runRewrite() == null,
                UNIMPLEMENTED,
                "Session: a partial run can not be shared out by a plan: run it in one call, or open a session without"
                        + " one");
        List<Edge> fed = feeds.stream().map(graph::edge).toList();
        List<Edge> fetched = fetches.stream().map(graph::edge).toList();
        Program program = programs.partial(
                fed, fetched, targets.stream().map(graph::target).toList());
        return new LocalPartialRun(program, state, fed, fetched, runs, options.timeout());
    }

    @Override
    public Results run(List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions run) {
        runs.requireOpen();
        checkFeeds(feeds, values);
        if (options.runRewrite() == null) return run(feeds, values, fetches, targets, run, null);
        Throwable error = null;
        try {
            RunRewrite.Made made = options.runRewrite().make(feeds, values, fetches, targets, run);
            return run(feeds, values, fetches, targets, run, made);
        } catch (RuntimeException | Error e) {
            error = e;
            throw e;
        } finally {
            options.runRewrite().ended(run, error);
        }
    }

    private Results run(
            List<Edge> feeds,
            List<Tensor> values,
            List<Edge> fetches,
            List<Node> targets,
            RunOptions run,
            RunRewrite.Made made) {
        checkShapes(feeds, values, made);
        Program program = programs.program(feeds, values, fetches, targets, made);
        Duration timeout = run.timeout() != null ? run.timeout() : options.timeout();
        Cancellation cancellation = new Cancellation(), given = run.cancellation();
        long link = given == null ? -1 : given.register(cancellation::cancel);
        if (given != null && link < 0) throw given.reason().rethrown();
        Caller caller = new Caller(engine.width(), progress, cancellation, timeout);
        AtomicReference<Tensor[]> results = new AtomicReference<>();
        AtomicReference<OxbowException> failure = new AtomicReference<>();
        try {
            runs.begin(caller);
            Tensor[] arguments = values.toArray(Tensor[]::new);
            var context =
                    new StepContext(StepContext.nextId(), run.key(), cancellation, new LocalRendezvous(), run.tracer());
            program.start(context, arguments, state, caller, (tensors, error) -> {
                results.set(tensors);
                failure.set(error);
                caller.end();
            });
            // it always ends after its cancellation: a kernel computes in bounded time, and waits listen to the token
            caller.await();
        } finally {
            runs.end(caller);
            if (given != null) given.unregister(link);
        }
        if (failure.get() != null) {
            OxbowException why = failure.get().rethrown();
            inFlight.failed(why);
            throw why;
        }
        List<Tensor> list = new ArrayList<>();
        try {
            inFlight.ended(results.get().length > 0);
            for (Tensor t : results.get()) list.add(t.onHost(x -> x.reshaped(x.shape())));
        } finally {
            for (Tensor t : results.get()) t.release();
        }
        return new Results(list);
    }

    private static void checkFeeds(List<Edge> feeds, List<Tensor> values) {
        for (int i = 0; i < feeds.size(); i++) {
            Edge e = feeds.get(i);
            Tensor t = values.get(i);
            require(t != null, INVALID_ARGUMENT, "feed %s: there is no tensor", e);
            require(!t.isClosed(), FAILED_PRECONDITION, "feed %s: the tensor was closed", e);
            require(
                    t.dtype() == e.type().dtype(),
                    INVALID_ARGUMENT,
                    "feed %s: wants %s, got %s",
                    e,
                    e.type(),
                    t.describe());
            for (int j = 0; j < i; j++) require(!feeds.get(j).equals(e), INVALID_ARGUMENT, "feed %s: is fed twice", e);
        }
    }

    private static void checkShapes(List<Edge> feeds, List<Tensor> values, RunRewrite.Made made) {
        for (int i = 0; i < feeds.size(); i++) {
            Edge e = feeds.get(i);
            Shape shape = made == null ? values.get(i).shape() : made.shapes().get(i);
            require(
                    shape.isCompatibleWith(e.type().shape()),
                    INVALID_ARGUMENT,
                    "feed %s: wants %s, got %s%s",
                    e,
                    e.type(),
                    values.get(i).describe(),
                    made == null ? "" : " as a piece of " + shape);
        }
    }

    @Override
    public String explain(List<Edge> feeds, List<Edge> fetches, List<Node> targets, boolean verbose) {
        return Explain.run(graph, feeds, fetches, targets, engine.devices(), options, verbose);
    }

    @Override
    public Graph graph() {
        return graph;
    }

    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        runs.close();
        if (options.runRewrite() != null) options.runRewrite().close();
        programs.close();
        state.close();
        if (ownsEngine) engine.close();
    }
}
