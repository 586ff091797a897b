package dev.oxbow.data.graph;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A function of a graph, run by the engine for each element: the tensors of a sample are its arguments, its results are the tensors of
 * another. A pipeline's threads call it side by side, so each call has one thread. It may read state, such as tables, but draws no
 * random numbers and changes nothing, since what comes would depend on threads; random numbers of an element are an argument ({@link
 * #drawing}). Close it behind the feeds that use it.
 */
public final class GraphFunction implements Pipeline.Mapper<Sample, Sample>, AutoCloseable {
    private static final Shape SEED = Shape.of(2);

    private final Session session;
    private final List<Edge> arguments;
    private final List<Edge> results;
    private final boolean drawing;

    private GraphFunction(Session session, List<Edge> arguments, List<Edge> results, boolean drawing) {
        this.session = session;
        this.arguments = List.copyOf(arguments);
        this.results = List.copyOf(results);
        this.drawing = drawing;
    }

    /** A function that is written here, of arguments of these types. */
    public static GraphFunction of(List<TensorType> arguments, UnaryOperator<List<Value>> body) {
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        List<Value> values = arguments.stream()
                .map(t -> ops.placeholder(t.dtype(), t.shape()))
                .toList();
        List<Value> results = body.apply(values);
        return of(graph, edges(values), edges(results));
    }

    /** A function of a library, such as that of a graph that was imported. */
    public static GraphFunction of(Function f) {
        Graph graph = new Graph(f.body().functions());
        Ops ops = Ops.in(graph);
        List<Value> values = new ArrayList<>();
        for (Node a : f.arguments())
            values.add(ops.placeholder(a.output(0).dtype(), a.output(0).shape()));
        return of(graph, edges(values), edges(ops.call(f, values.toArray(Value[]::new))));
    }

    /** What a graph computes of the first edges, which are fed, at the others. */
    public static GraphFunction of(Graph graph, List<Edge> arguments, List<Edge> results) {
        require(!results.isEmpty(), INVALID_ARGUMENT, "graph function: has no result");
        for (Node n : graph.nodes()) check(n);
        for (Function f : graph.functions().made().values())
            for (Node n : f.body().nodes()) check(n);
        return new GraphFunction(
                Session.open(graph, EngineOptions.defaults().withThreads(1)), arguments, results, false);
    }

    private static void check(Node n) {
        Effects effects = n.op().effects();
        require(
                effects != Effects.RANDOM && effects != Effects.WRITES,
                INVALID_ARGUMENT,
                "graph function: %s %s, so that elements would depend on threads%s",
                n,
                effects == Effects.RANDOM ? "draws random numbers" : "changes state",
                effects == Effects.RANDOM ? "; take a stateless op, and its seed as the last argument (drawing)" : "");
    }

    private static List<Edge> edges(List<Value> values) {
        return values.stream().map(Value::edge).toList();
    }

    /** The same, whose last argument is i64[2] and no tensor of a sample: random numbers of the element, a seed for stateless ops. */
    public GraphFunction drawing() {
        require(
                !arguments.isEmpty()
                        && arguments.getLast().type().dtype() == DType.I64
                        && arguments.getLast().type().shape().isCompatibleWith(SEED),
                INVALID_ARGUMENT,
                "graph function: the last argument must be i64[2] to be given random numbers, it is %s",
                arguments.isEmpty() ? "missing" : arguments.getLast().type());
        return new GraphFunction(session, arguments, results, true);
    }

    @Override
    public Sample apply(Sample sample, Draw draw) {
        return new Sample(call(sample.tensors(), draw));
    }

    /** The same for whole batches: arguments and results have all rows that this worker has. */
    public Pipeline.Mapper<Batch, Batch> onBatches() {
        return (b, draw) -> new Batch(call(b.tensors(), draw), b.number(), b.first(), b.rows());
    }

    private List<Tensor> call(List<Tensor> tensors, Draw draw) {
        require(
                tensors.size() + (drawing ? 1 : 0) == arguments.size(),
                INVALID_ARGUMENT,
                "graph function: has %d arguments%s, an element has %d tensors",
                arguments.size(),
                drawing ? ", one of them random numbers" : "",
                tensors.size());
        if (!drawing) return run(tensors);
        try (Tensor seed = Tensor.of(SEED, pair(draw), pair(draw))) {
            return run(Stream.concat(tensors.stream(), Stream.of(seed)).toList());
        }
    }

    private static long pair(Draw draw) {
        return (long) draw.bits() << Integer.SIZE | draw.bits() & 0xffffffffL;
    }

    private List<Tensor> run(List<Tensor> values) {
        var got = session.run(arguments, values, results, List.of(), RunOptions.none());
        List<Tensor> all = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) all.add(got.get(i));
        return all;
    }

    @Override
    public void close() {
        session.close();
    }
}
