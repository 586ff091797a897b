package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * The samples of one package of ops. A subclass lists them in {@link #define}: {@code sample(op, inputs...)} for a
 * single op, {@code program(op, label, build)} for ops that need others beside them (variables, queues).
 */
public abstract class SampleFamily {

    /** Ops of old graphs that today's TensorFlow refuses to run, and why; old recordings in the conformance sets have them. */
    private static final Map<String, String> REMOVED = new LinkedHashMap<>();

    static {
        for (String op :
                List.of("BatchMatrixBandPart", "BatchMatrixDiag", "BatchMatrixDiagPart", "BatchMatrixSetDiag")) {
            REMOVED.put(op, "removed in GraphDef version 14");
        }
        REMOVED.put("AdjustContrast", "removed in GraphDef version 2");
        REMOVED.put("AudioSummary", "removed in GraphDef version 15");
        REMOVED.put("CompareAndBitpack", "not registered in TensorFlow 2.21");
        REMOVED.put("PlaceholderV2", "removed in GraphDef version 23");
        for (String op : List.of("FixedLengthRecordReader", "IdentityReader", "TFRecordReader", "TextLineReader"))
            REMOVED.put(op, "removed in GraphDef version 26");
        REMOVED.put("RandomCrop", "removed in GraphDef version 8");
        REMOVED.put("RandomPoisson", "removed in GraphDef version 25");
        REMOVED.put("StatefulStandardNormal", "removed in GraphDef version 29");
        REMOVED.put("TileGrad", "removed in GraphDef version 3");
        REMOVED.put("TopK", "removed in GraphDef version 7");
    }

    private final List<Sample> samples = new ArrayList<>();
    private final Map<String, Integer> counts = new LinkedHashMap<>();

    /** Adds every sample of the family. */
    protected abstract void define();

    /** A name for files, such as {@code math}. */
    public abstract String name();

    public final synchronized List<Sample> samples() {
        if (samples.isEmpty()) define();
        return List.copyOf(samples);
    }

    /** One op on these inputs, with its gradient checked if it is differentiable and has a floating input. */
    protected final void sample(Op op, Tensor... inputs) {
        single(op, op instanceof Differentiable, 1e-4, 1e-3, inputs);
    }

    /** One op whose gradient is not checked: at these inputs it has a kink, or its output is random. */
    protected final void sampleWithoutGradient(Op op, Tensor... inputs) {
        single(op, false, 0, 0, inputs);
    }

    /** One op with another step and tolerance (relative) of the gradient check. */
    protected final void sample(Op op, double step, double tolerance, Tensor... inputs) {
        single(op, true, step, tolerance, inputs);
    }

    /** One op whose gradient is checked only between the numbered inputs and outputs. */
    protected final void samplePart(Op op, int[] checked, int[] outputs, Tensor... inputs) {
        sampleFirst(Integer.MAX_VALUE, op, checked, outputs, inputs);
    }

    /** The same for an op of which TensorFlow leaves all but the first outputs undefined. */
    protected final void sampleFirst(int fetched, Op op, int[] checked, int[] outputs, Tensor... inputs) {
        program(op.signature().name(), p -> {
            List<Edge> edges = new ArrayList<>(), xs = new ArrayList<>(), ys = new ArrayList<>();
            Map<String, Tensor> feeds = new LinkedHashMap<>();
            for (Tensor t : inputs) {
                Edge e = t.dtype().isFloating()
                        ? p.add(new Placeholder(t.dtype(), t.shape())).edge(0)
                        : p.constant(t);
                if (t.dtype().isFloating()) feeds.put(e.name(), t);
                edges.add(e);
            }
            Node n = p.add(op, edges.toArray(Edge[]::new));
            for (int i : checked) xs.add(edges.get(i));
            for (int i : outputs) ys.add(n.edge(i));
            List<Edge> fetches = new ArrayList<>();
            for (int i = 0; i < Math.min(fetched, n.outputCount()); i++) fetches.add(n.edge(i));
            p.run(feeds, fetches);
            if (!xs.isEmpty()) p.gradient(xs, ys);
        });
    }

    /** One op that TensorFlow has no CPU kernel for, or has removed: only its types and its wire form are checked. */
    protected final void sampleUnanswered(Op op, Tensor... inputs) {
        sampleUnanswered("TensorFlow has no CPU kernel for it", op, inputs);
    }

    /** One op of which TensorFlow's answer is not the one that is wanted: only its types and its wire form are checked. */
    protected final void sampleUnanswered(String why, Op op, Tensor... inputs) {
        single(op, false, 0, 0, inputs);
        Sample s = samples.removeLast();
        samples.add(new Sample(s.name(), s.op(), s.graph(), s.runs(), null, why));
    }

    private void single(Op op, boolean gradient, double step, double tolerance, Tensor... inputs) {
        Graph g = new Graph();
        List<Edge> edges = new ArrayList<>(), checked = new ArrayList<>(), outputs = new ArrayList<>();
        Map<String, Tensor> feeds = new LinkedHashMap<>();
        for (Tensor t : inputs) {
            if (t.dtype().isFloating()) {
                Edge e = g.add(new Placeholder(t.dtype(), t.shape()), "x", List.of())
                        .edge(0);
                feeds.put(e.name(), t);
                checked.add(e);
                edges.add(e);
            } else {
                edges.add(g.add(new Const(t), "x", List.of()).edge(0));
            }
        }
        Node n = g.add(op, "y", edges);
        List<String> fetches = new ArrayList<>();
        for (int i = 0; i < n.outputCount(); i++) {
            fetches.add(n.edge(i).name());
            if (n.output(i).dtype().isFloating()) outputs.add(n.edge(i));
        }
        boolean check = gradient && !checked.isEmpty() && !outputs.isEmpty();
        add(
                op.signature().name(),
                g,
                List.of(new Sample.Run(feeds, fetches, List.of())),
                check ? new Sample.GradientCheck(checked, outputs, step, tolerance) : null);
    }

    /** Says that TensorFlow cannot answer the samples of this op that were added so far, and why. */
    protected final void unanswered(String op, String why) {
        samples.replaceAll(
                s -> s.op().equals(op) ? new Sample(s.name(), s.op(), s.graph(), s.runs(), s.gradient(), why) : s);
    }

    /** A graph around an op, with several runs. */
    protected final void program(String op, Consumer<Program> build) {
        Program p = new Program();
        build.accept(p);
        add(op, p.graph, p.runs, p.gradient);
    }

    private void add(String op, Graph g, List<Sample.Run> runs, Sample.GradientCheck gradient) {
        int k = counts.merge(op, 1, Integer::sum);
        samples.add(new Sample(op + "." + (k - 1), op, g, runs, gradient, REMOVED.get(op)));
    }

    /** A graph and runs being put together. */
    public static final class Program {
        private final Graph graph = new Graph();
        private final List<Sample.Run> runs = new ArrayList<>();
        private Sample.GradientCheck gradient;

        private Program() {}

        public Graph graph() {
            return graph;
        }

        public Node add(Op op, Edge... inputs) {
            return graph.add(op, List.of(inputs));
        }

        /** A node that runs when others have. */
        public Node addAfter(Op op, Node other, Edge... inputs) {
            try (Graph.Scope _ = graph.after(other)) {
                return add(op, inputs);
            }
        }

        public Edge constant(Tensor t) {
            return graph.add(new Const(t), List.of()).edge(0);
        }

        public Program run(Map<String, Tensor> feeds, List<Edge> fetches, Node... targets) {
            List<String> names = new ArrayList<>();
            for (Node t : targets) names.add(t.name());
            runs.add(new Sample.Run(feeds, fetches.stream().map(Edge::name).toList(), names));
            return this;
        }

        public Program fetch(Edge... fetches) {
            return run(Map.of(), List.of(fetches));
        }

        public Program target(Node... targets) {
            return run(Map.of(), List.of(), targets);
        }

        public Program gradient(List<Edge> inputs, List<Edge> outputs) {
            gradient = new Sample.GradientCheck(inputs, outputs, 1e-4, 1e-3);
            return this;
        }
    }

    /** The op with this wire name; attributes by name and value in turn, defaults for the others. */
    protected static Op named(String op, Object... attributes) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < attributes.length; i += 2) map.put((String) attributes[i], attributes[i + 1]);
        return OpRegistry.get().definition(op).create(map);
    }

    /** Values in [low, high) of a numeric dtype, from a seed. */
    protected static Tensor random(DType dtype, double low, double high, long seed, long... dims) {
        Tensor t = Tensor.zeros(dtype, Shape.of(dims));
        Random r = new Random(seed);
        long n = t.size();
        for (long i = 0; i < n; i++) {
            double v = low + (high - low) * r.nextDouble();
            if (dtype == DType.C64) {
                Memory.putFloat(t.address() + 8 * i, (float) v);
                Memory.putFloat(t.address() + 8 * i + 4, (float) (low + (high - low) * r.nextDouble()));
            } else if (dtype == DType.C128) {
                Memory.putDouble(t.address() + 16 * i, v);
                Memory.putDouble(t.address() + 16 * i + 8, low + (high - low) * r.nextDouble());
            } else {
                t.set(i, v);
            }
        }
        return t;
    }

    /** Floats in [-2, 2). */
    protected static Tensor floats(long seed, long... dims) {
        return random(DType.F32, -2, 2, seed, dims);
    }

    protected static Tensor doubles(long seed, long... dims) {
        return random(DType.F64, -2, 2, seed, dims);
    }

    protected static Tensor ints(int... values) {
        return Tensor.of(Shape.of(values.length), values);
    }

    protected static Tensor scalar(int value) {
        return Tensor.scalar(value);
    }
}
