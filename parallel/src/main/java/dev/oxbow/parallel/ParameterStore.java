package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.state.ResourceApplyAdagrad;
import dev.oxbow.ops.state.ResourceApplyGradientDescent;
import dev.oxbow.ops.state.ResourceGather;
import dev.oxbow.ops.state.ResourceScatterSub;
import dev.oxbow.ops.state.ResourceSparseApplyAdagrad;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Parameters on servers by name, for programs that compute gradients in their own way: {@link #pull} them, and {@link #push}
 * gradients, by which the servers change them at once. Thread-safe; one call at a time is under way.
 *
 * {@snippet :
 * static void train(String task, Map<String, Tensor> start, Tensor gradient) {
 *     Plan plan = Plan.parameterServer(2, 1).async().at(task); // such as grpc://localhost:2222
 *     try (ParameterStore store = ParameterStore.open(plan, 0, start, ParameterStore.Rule.adagrad(0.1))) {
 *         try (Results now = store.pull(List.of("w"))) {
 *             IO.println(now.get(0));
 *         }
 *         store.push(Map.of("w", gradient));
 *     }
 * }
 * }
 */
public final class ParameterStore implements AutoCloseable {

    /**
     * What a gradient does to a parameter.
     *
     * @param adagrad whether each number has a rate of its own, which falls with the squares of its gradients
     */
    public record Rule(boolean adagrad, double rate) {
        /** {@code w -= rate * g}. */
        public static Rule descent(double rate) {
            return new Rule(false, rate);
        }

        /** {@code a += g * g; w -= rate * g / sqrt(a)}, where a starts with 0.1. */
        public static Rule adagrad(double rate) {
            return new Rule(true, rate);
        }
    }

    private static final double FIRST_SUM = 0.1;

    /** What can be done with one parameter. */
    private record Entry(
            Parameter parameter,
            Value gradient,
            Node update,
            Value rows,
            Value some,
            Value rowGradient,
            Node rowUpdate) {}

    private final Map<String, Entry> entries = new TreeMap<>();
    private final Session session;

    private ParameterStore(Plan plan, int worker, Map<String, Tensor> start, Rule rule, SessionOptions options) {
        require(
                !plan.served().isSynchronous(),
                INVALID_ARGUMENT,
                "ParameterStore: each push changes the parameters at once: take Plan.parameterServer(..).async() or"
                        + " staleness(..)");
        Graph graph = new Graph();
        List<Node> starts = new ArrayList<>();
        List<String> whole = new ArrayList<>();
        for (var e : new TreeMap<>(start).entrySet())
            entries.put(e.getKey(), entry(graph, e.getKey(), e.getValue(), rule, starts, whole));
        session = plan.whole(whole.toArray(String[]::new)).open(graph, worker, options);
        session.target(starts.toArray(Node[]::new)).run().close();
    }

    /** The store of a worker. Parameters that the servers have already stay as they are, whatever {@code start} says. */
    public static ParameterStore open(Plan plan, int worker, Map<String, Tensor> start, Rule rule) {
        return open(plan, worker, start, rule, SessionOptions.defaults());
    }

    /** As above. */
    public static ParameterStore open(
            Plan plan, int worker, Map<String, Tensor> start, Rule rule, SessionOptions options) {
        return new ParameterStore(plan, worker, start, rule, options);
    }

    private static Entry entry(
            Graph graph, String name, Tensor start, Rule rule, List<Node> starts, List<String> whole) {
        Ops ops = Ops.in(graph);
        DType t = start.dtype();
        require(t.isFloating(), INVALID_ARGUMENT, "ParameterStore: '%s' is %s, which has no gradient", name, t);
        Parameter p = Parameter.named(name, ops.constant(start));
        starts.add(p.initialiser());
        Value rate = p.value().constantLike(rule.rate);
        Value sums = null;
        if (rule.adagrad) {
            Tensor first = Tensor.allocate(t, start.shape());
            for (long i = 0; i < first.size(); i++) first.set(i, FIRST_SUM);
            Parameter slot = Parameter.named(name + "/adagrad/sum", ops.constant(first));
            starts.add(slot.initialiser());
            sums = slot.handle();
        }
        Value gradient = ops.placeholder("push/" + name, t, start.shape());
        Shape some = start.shape().rank() == 0 ? null : start.shape().withDim(0, -1);
        whole.add(gradient.edge().node().name());
        Node update = sums == null
                ? add(graph, new ResourceApplyGradientDescent(), p.handle(), rate, gradient)
                : add(graph, new ResourceApplyAdagrad(true), p.handle(), sums, rate, gradient);
        if (some == null) return new Entry(p, gradient, update, null, null, null, null);
        Value rows = ops.placeholder("rows/" + name, DType.I64, Shape.of(-1));
        Value changes = ops.placeholder("push rows/" + name, t, some);
        whole.addAll(List.of(rows.edge().node().name(), changes.edge().node().name()));
        Value pulled = Value.apply(new ResourceGather(0, true, t), p.handle(), rows);
        Node rowUpdate = sums == null
                ? add(graph, new ResourceScatterSub(), p.handle(), rows, Value.apply(new Mul(), changes, rate))
                : add(graph, new ResourceSparseApplyAdagrad(true), p.handle(), sums, rate, changes, rows);
        return new Entry(p, gradient, update, rows, pulled, changes, rowUpdate);
    }

    private static Node add(Graph graph, Op op, Value... inputs) {
        List<Edge> edges = new ArrayList<>();
        for (Value v : inputs) edges.add(v.edge());
        return graph.add(op, edges);
    }

    private Entry entry(String key) {
        Entry e = entries.get(key);
        require(e != null, NOT_FOUND, "ParameterStore: there is no '%s', only %s", key, entries.keySet());
        return e;
    }

    private Entry rowsOf(String key) {
        Entry e = entry(key);
        require(e.rows != null, INVALID_ARGUMENT, "ParameterStore: '%s' is a number, which has no rows", key);
        return e;
    }

    /** The parameters as they are now, in the order of the keys; the caller closes them. */
    public Results pull(List<String> keys) {
        return session.fetch(keys.stream()
                        .map(k -> entry(k).parameter.value().edge())
                        .toArray(Edge[]::new))
                .run();
    }

    /** Rows of a parameter, by their numbers, an i64 vector; only they travel. The caller closes them. */
    public Results pull(String key, Tensor rows) {
        Entry e = rowsOf(key);
        checkRows(key, e, rows);
        return session.feed(e.rows.edge(), rows).fetch(e.some.edge()).run();
    }

    /** Changes parameters by gradients of their shapes; they have been changed when this returns. */
    public void push(Map<String, Tensor> gradients) {
        Map<String, Tensor> sorted = new LinkedHashMap<>(new TreeMap<>(gradients));
        Session.Run run = session.target();
        sorted.forEach((key, g) -> run.feed(entry(key).gradient.edge(), g).target(entry(key).update));
        run.run().close();
    }

    /** Changes rows of a parameter; those that are named twice are changed twice. */
    public void push(String key, Tensor rows, Tensor gradients) {
        Entry e = rowsOf(key);
        checkRows(key, e, rows);
        Shape wanted = e.gradient.edge().type().shape().withDim(0, rows.size());
        require(
                gradients.shape().equals(wanted),
                INVALID_ARGUMENT,
                "ParameterStore: '%s' has gradients of shape %s for %d rows, got %s",
                key,
                wanted,
                rows.size(),
                gradients.shape());
        session.feed(e.rows.edge(), rows)
                .feed(e.rowGradient.edge(), gradients)
                .target(e.rowUpdate)
                .run()
                .close();
    }

    /** A row that is not there would be found by a server, in the middle of an update, after which it could say nothing of the state. */
    private static void checkRows(String key, Entry e, Tensor rows) {
        long count = e.gradient.edge().type().shape().dim(0);
        require(
                rows.dtype() == DType.I64 && rows.shape().rank() == 1,
                INVALID_ARGUMENT,
                "ParameterStore: rows of '%s' are an i64 vector, got %s%s",
                key,
                rows.dtype(),
                rows.shape());
        for (long row : rows.longs())
            require(
                    row >= 0 && row < count,
                    INVALID_ARGUMENT,
                    "ParameterStore: '%s' has %d rows, got row %d",
                    key,
                    count,
                    row);
    }

    @Override
    public void close() {
        session.close();
    }
}
