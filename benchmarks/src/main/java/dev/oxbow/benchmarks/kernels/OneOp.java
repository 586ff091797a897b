package dev.oxbow.benchmarks.kernels;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Times one op as a graph of its own on fed tensors; a run call of a few microseconds is included. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public abstract class OneOp {
    /** Threads of the session. */
    @Param("2")
    public int threads;

    private final Map<Edge, Tensor> feeds = new LinkedHashMap<>();
    private final Random random = new Random(1);
    private Ops ops;
    private Session session;
    private Node target;

    /** Builds the op; its last output's node is what runs. */
    protected abstract Value build();

    protected final Ops ops() {
        return ops;
    }

    /** A fed tensor of values between -1 and 1. */
    protected final Value floats(long... shape) {
        Tensor t = Tensor.allocate(DType.F32, Shape.of(shape));
        for (long i = 0; i < t.size(); i++) t.set(i, 2 * random.nextDouble() - 1);
        return fed(t);
    }

    /** A fed vector or matrix of whole numbers below a bound. */
    protected final Value indices(int bound, long... shape) {
        Tensor t = Tensor.allocate(DType.I32, Shape.of(shape));
        for (long i = 0; i < t.size(); i++) t.setLong(i, random.nextInt(bound));
        return fed(t);
    }

    private Value fed(Tensor t) {
        Value v = ops.placeholder(t.dtype(), t.shape());
        feeds.put(v.edge(), t);
        return v;
    }

    /** Sizes written as {@code 64x28x28x1}. */
    protected static long[] sizes(String text) {
        String[] parts = text.split("x");
        long[] sizes = new long[parts.length];
        for (int i = 0; i < sizes.length; i++) sizes[i] = Long.parseLong(parts[i]);
        return sizes;
    }

    /** An op by its name, with attributes as pairs. */
    protected static Value op(String name, Map<String, Object> attributes, Value... inputs) {
        return Value.applyAll(Ops.named(name, attributes), inputs).get(0);
    }

    @Setup
    public void open() {
        ops = Ops.in(new Graph());
        target = build().node();
        session = Session.open(ops.graph(), EngineOptions.defaults().withThreads(threads));
    }

    @Benchmark
    public List<Tensor> run() {
        Session.Run run = session.target(target);
        feeds.forEach(run::feed);
        return run.run();
    }

    @TearDown
    public void close() {
        session.close();
        new ArrayList<>(feeds.values()).forEach(Tensor::close);
    }
}
