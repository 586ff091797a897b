package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.SumOfProducts;
import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.kernels.numeric.Gemm;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs a graph. A run executes only what its fetches and targets need; feeding a value cuts off everything above it.
 * Runs from many threads may overlap. Variables live in the engine's containers and survive runs and sessions.
 */
public final class Session implements AutoCloseable {
    private final Graph graph;
    private final Engine engine;
    private final boolean ownsEngine;
    private final Programs programs;
    private final Runs runs = new Runs();
    private boolean closed;

    private Session(Graph graph, Engine engine, boolean ownsEngine) {
        this.graph = graph;
        this.engine = engine;
        this.ownsEngine = ownsEngine;
        this.programs = new Programs(graph, engine);
        KernelLevel.current(); // a level that does not exist is an error here, not in the first kernel
        if (graph.nodes().stream().anyMatch(n -> n.op() instanceof SumOfProducts)) Gemm.prepare();
    }

    /** A session on devices of its own. */
    public static Session open(Graph graph) {
        return open(graph, SessionOptions.defaults());
    }

    public static Session open(Graph graph, SessionOptions options) {
        return new Session(graph, new Engine(options), true);
    }

    /** A session on devices and containers that others share. */
    public static Session open(Graph graph, Engine engine) {
        return new Session(graph, engine, false);
    }

    /** Runs by {@code name:port}; the caller owns the results. */
    public Results run(Map<String, Tensor> feeds, List<String> fetches, List<String> targets) {
        return run(feeds, fetches, targets, RunOptions.none());
    }

    public Results run(Map<String, Tensor> feeds, List<String> fetches, List<String> targets, RunOptions options) {
        List<Edge> fed = new ArrayList<>();
        List<Tensor> values = new ArrayList<>();
        feeds.forEach((name, value) -> {
            fed.add(graph.edge(name));
            values.add(value);
        });
        return run(
                fed,
                values,
                fetches.stream().map(graph::edge).toList(),
                targets.stream().map(this::target).toList(),
                options);
    }

    private Node target(String name) {
        int colon = name.lastIndexOf(':');
        return graph.has(name) || colon < 0 ? graph.node(name) : graph.node(name.substring(0, colon));
    }

    /**
     * Starts a run whose feeds come and whose fetches are taken one call at a time: see {@link PartialRun}. Every
     * value that will be fed or fetched is named now.
     */
    public PartialRun partialRun(List<String> feeds, List<String> fetches, List<String> targets) {
        runs.requireOpen();
        List<Edge> fed = feeds.stream().map(graph::edge).toList();
        List<Edge> fetched = fetches.stream().map(graph::edge).toList();
        Execution execution = programs.partial(
                fed, fetched, targets.stream().map(this::target).toList());
        return new PartialRun(
                execution, programs, fed, fetched, runs, engine.options().timeout());
    }

    /** Starts a run by edges: {@code session.feed(x, value).fetch(loss).target(train).run()}. */
    public Run feed(Edge edge, Tensor value) {
        return new Run().feed(edge, value);
    }

    public Run fetch(Edge... edges) {
        return new Run().fetch(edges);
    }

    public Run target(Node... nodes) {
        return new Run().target(nodes);
    }

    /** One run being put together. */
    public final class Run {
        private final List<Edge> feeds = new ArrayList<>();
        private final List<Tensor> values = new ArrayList<>();
        private final List<Edge> fetches = new ArrayList<>();
        private final List<Node> targets = new ArrayList<>();
        private RunOptions options = RunOptions.none();

        private Run() {}

        public Run feed(Edge edge, Tensor value) {
            feeds.add(edge);
            values.add(value);
            return this;
        }

        public Run fetch(Edge... edges) {
            fetches.addAll(Arrays.asList(edges));
            return this;
        }

        public Run target(Node... nodes) {
            targets.addAll(Arrays.asList(nodes));
            return this;
        }

        public Run options(RunOptions o) {
            options = o;
            return this;
        }

        /** Runs, and returns the fetched tensors in order; the caller owns them and may close them together. */
        public Results run() {
            return Session.this.run(feeds, values, fetches, targets, options);
        }
    }

    private Results run(
            List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions options) {
        runs.requireOpen();
        checkFeeds(feeds, values);
        Execution execution = programs.execution(feeds, values, fetches, targets);
        Duration timeout =
                options.timeout() != null ? options.timeout() : engine.options().timeout();
        Cancellation cancellation = new Cancellation(), given = options.cancellation();
        long link = given == null ? -1 : given.register(cancellation::cancel);
        if (given != null && link < 0) throw rethrown(given.reason());
        Caller caller = new Caller(engine.pool(), engine.progress(), cancellation, timeout);
        AtomicReference<Tensor[]> results = new AtomicReference<>();
        AtomicReference<OxbowException> failure = new AtomicReference<>();
        try {
            runs.begin(caller);
            Tensor[] arguments = values.toArray(Tensor[]::new);
            execution.start(arguments, cancellation, new LocalRendezvous(), programs, caller, (tensors, error) -> {
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
        if (failure.get() != null) throw rethrown(failure.get());
        List<Tensor> list = new ArrayList<>();
        for (Tensor t : results.get()) list.add(t.reshaped(t.shape()));
        for (Tensor t : results.get()) t.release();
        return new Results(list);
    }

    /** With the stack of the caller. */
    private static OxbowException rethrown(OxbowException e) {
        return new OxbowException(e.code(), e.getMessage(), e);
    }

    private static void checkFeeds(List<Edge> feeds, List<Tensor> values) {
        for (int i = 0; i < feeds.size(); i++) {
            Edge e = feeds.get(i);
            Tensor t = values.get(i);
            require(t != null, INVALID_ARGUMENT, "feed %s: there is no tensor", e);
            require(!t.isClosed(), FAILED_PRECONDITION, "feed %s: the tensor was closed", e);
            require(t.dtype() == e.type().dtype(), INVALID_ARGUMENT, "feed %s: wants %s, got %s", e, e.type(), t);
            require(
                    t.shape().isCompatibleWith(e.type().shape()),
                    INVALID_ARGUMENT,
                    "feed %s: wants %s, got %s",
                    e,
                    e.type(),
                    t);
            for (int j = 0; j < i; j++) require(!feeds.get(j).equals(e), INVALID_ARGUMENT, "feed %s: is fed twice", e);
        }
    }

    public Graph graph() {
        return graph;
    }

    public Engine engine() {
        return engine;
    }

    /** Cancels running steps, waits for their end and closes the session; on devices of its own, its variables end too. */
    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        runs.close();
        programs.close();
        if (ownsEngine) engine.close();
    }
}
