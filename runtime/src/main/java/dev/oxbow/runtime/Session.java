package dev.oxbow.runtime;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Runs a graph. A run executes only what its fetches and targets need; feeding a value cuts off everything above it.
 * Runs from many threads may overlap. Variables live in the containers of the devices and survive runs and sessions.
 *
 * {@snippet :
 * Graph graph = new Graph();
 * Value x = Ops.in(graph).placeholder("x", DType.F32, Shape.of(-1, 2));
 * Value length = x.square().sum(1).sqrt();
 * try (Session session = Session.open(graph); Tensor points = Tensor.of(Shape.of(2, 2), 3f, 4f, 6f, 8f)) {
 *     IO.println(session.feed(x.edge(), points).fetch(length.edge()).run().get(0)); // f32[2] [5.0, 10.0]
 * }
 * }
 */
public interface Session extends AutoCloseable {

    /** A session in this process, on devices of its own. */
    static Session open(Graph graph) {
        return open(graph, SessionOptions.defaults());
    }

    static Session open(Graph graph, SessionOptions options) {
        return open(graph, EngineOptions.defaults(), options);
    }

    static Session open(Graph graph, EngineOptions devices) {
        return open(graph, devices, SessionOptions.defaults());
    }

    static Session open(Graph graph, EngineOptions devices, SessionOptions options) {
        return Sessions.open("local", graph, new Engine(devices), true, options);
    }

    /** A session in this process, on devices that others share. */
    static Session open(Graph graph, Engine engine) {
        return open(graph, engine, SessionOptions.defaults());
    }

    static Session open(Graph graph, Engine engine, SessionOptions options) {
        return Sessions.open("local", graph, engine, false, options);
    }

    /** A session where the target says, such as {@code grpc://host:port}. */
    static Session open(String target, Graph graph, SessionOptions options) {
        return Sessions.open(target, graph, null, false, options);
    }

    Graph graph();

    /**
     * Runs, and returns the fetched tensors in order; the caller owns them and may close them together. A run without
     * fetches and targets does nothing.
     */
    Results run(List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions options);

    /** Runs by {@code name:port}; the caller owns the results. */
    default Results run(Map<String, Tensor> feeds, List<String> fetches, List<String> targets) {
        return run(feeds, fetches, targets, RunOptions.none());
    }

    default Results run(Map<String, Tensor> feeds, List<String> fetches, List<String> targets, RunOptions options) {
        List<Edge> fed = new ArrayList<>();
        List<Tensor> values = new ArrayList<>();
        feeds.forEach((name, value) -> {
            fed.add(graph().edge(name));
            values.add(value);
        });
        return run(
                fed,
                values,
                fetches.stream().map(graph()::edge).toList(),
                targets.stream().map(graph()::target).toList(),
                options);
    }

    /**
     * Starts a run whose feeds come and whose fetches are taken one call at a time: see {@link PartialRun}. Every
     * value that will be fed or fetched is named now.
     */
    PartialRun partialRun(List<String> feeds, List<String> fetches, List<String> targets);

    /** What each stage would do with such a run, in words; verbose adds each stage's graph. Nothing is run. */
    String explain(List<Edge> feeds, List<Edge> fetches, List<Node> targets, boolean verbose);

    /** Starts a run by edges: {@code session.feed(x, value).fetch(loss).target(train).run()}. */
    default Run feed(Edge edge, Tensor value) {
        return new Run(this).feed(edge, value);
    }

    default Run fetch(Edge... edges) {
        return new Run(this).fetch(edges);
    }

    default Run target(Node... nodes) {
        return new Run(this).target(nodes);
    }

    /** Cancels running steps, waits for their end and closes the session; on devices of its own, its variables end too. */
    @Override
    void close();

    /** One run being put together. */
    final class Run {
        private final Session session;
        private final List<Edge> feeds = new ArrayList<>();
        private final List<Tensor> values = new ArrayList<>();
        private final List<Edge> fetches = new ArrayList<>();
        private final List<Node> targets = new ArrayList<>();
        private RunOptions options = RunOptions.none();

        private Run(Session session) {
            this.session = session;
        }

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
            return session.run(feeds, values, fetches, targets, options);
        }
    }
}
