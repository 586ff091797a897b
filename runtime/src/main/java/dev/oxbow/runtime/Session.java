package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
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
import java.util.concurrent.ConcurrentHashMap;
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
    private final ConcurrentHashMap<Cancellation, Boolean> running = new ConcurrentHashMap<>();
    private volatile boolean closed;

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
        require(!closed, FAILED_PRECONDITION, "Session: it is closed");
        List<Edge> fed = feeds.stream().map(graph::edge).toList();
        List<Edge> fetched = fetches.stream().map(graph::edge).toList();
        Execution execution = programs.partial(
                fed, fetched, targets.stream().map(this::target).toList());
        return new PartialRun(execution, programs, fed, fetched, running::put, running::remove);
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
        require(!closed, FAILED_PRECONDITION, "Session: it is closed");
        checkFeeds(feeds, values);
        Execution execution = programs.execution(feeds, values, fetches, targets);
        Cancellation cancellation = options.cancellation() != null ? options.cancellation() : new Cancellation();
        Duration timeout =
                options.timeout() != null ? options.timeout() : engine.options().timeout();
        Caller caller = new Caller(engine.pool(), engine.progress());
        AtomicReference<Tensor[]> results = new AtomicReference<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        running.put(cancellation, true);
        try {
            Tensor[] arguments = values.toArray(Tensor[]::new);
            execution.start(arguments, cancellation, new LocalRendezvous(), programs, caller, (tensors, error) -> {
                results.set(tensors);
                failure.set(error);
                caller.end();
            });
            await(caller, timeout, cancellation);
        } finally {
            running.remove(cancellation);
        }
        if (failure.get() != null) throw rethrown(failure.get());
        List<Tensor> list = new ArrayList<>();
        for (Tensor t : results.get()) list.add(t.reshaped(t.shape()));
        for (Tensor t : results.get()) t.release();
        return new Results(list);
    }

    /** The step always ends after its cancellation: kernels compute in bounded time and waits listen to the token. */
    private static void await(Caller caller, Duration timeout, Cancellation cancellation) {
        boolean interrupted = false;
        boolean late = false;
        while (true) {
            try {
                if (caller.await(timeout == null || late ? Long.MAX_VALUE : timeout.toNanos())) break;
                late = true;
                cancellation.cancel(
                        DEADLINE_EXCEEDED, "Session: the run did not end within " + timeout.toMillis() + " ms");
            } catch (InterruptedException e) {
                interrupted = true;
                cancellation.cancel(CANCELLED, "Session: the calling thread was interrupted");
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    private static RuntimeException rethrown(Throwable e) {
        if (e instanceof OxbowException o) return new OxbowException(o.code(), o.getMessage(), o);
        return new OxbowException(INTERNAL, String.valueOf(e), e);
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

    /** Cancels running steps and closes the session; on devices of its own, its variables end too. */
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        running.keySet().forEach(c -> c.cancel(CANCELLED, "Session: it was closed"));
        programs.close();
        if (ownsEngine) engine.close();
    }
}
