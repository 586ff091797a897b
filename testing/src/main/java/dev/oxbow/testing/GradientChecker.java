package dev.oxbow.testing;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.samples.Sample;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Compares gradients with directional central differences: along a random direction {@code v}, with random weights
 * {@code r} on the outputs, {@code (f(x + hv) - f(x - hv)) / 2h} must equal the sum of {@code v * gradient}.
 */
public final class GradientChecker {
    private GradientChecker() {}

    /** Checks a sample at its own inputs in a setting; fails with both numbers. In f64 where the op has it. */
    public static void check(Sample s, Setting setting) {
        Sample wide = widened(s);
        try (Engine engine = setting.engine()) {
            check(wide == null ? s : wide, wide != null, engine, setting.options());
        }
    }

    private static void check(Sample s, boolean wide, Engine engine, SessionOptions options) {
        Graph g = GraphImporter.read(GraphExporter.write(s.graph()));
        Ops ops = Ops.in(g);
        Random random = new Random(s.name().hashCode());
        Map<String, Tensor> feeds = s.runs().get(0).feeds();
        List<Value> xs = s.gradient().inputs().stream()
                .map(e -> Value.of(g.edge(e.name())))
                .toList();
        List<Value> ys = s.gradient().outputs().stream()
                .map(e -> Value.of(g.edge(e.name())))
                .toList();
        try (Session session = Session.open(g, engine, options)) {
            List<Tensor> values = session.run(feeds, names(ys), List.of());
            List<Value> weights = new ArrayList<>();
            Map<String, Tensor> weighted = new HashMap<>(feeds);
            for (Tensor v : values) {
                Value w = ops.placeholder(v.dtype(), v.shape());
                weights.add(w);
                weighted.put(w.edge().name(), random(v.dtype(), v.shape(), random));
            }
            List<Value> gradients = Gradients.of(ys, xs, weights);
            List<Tensor> directions = new ArrayList<>();
            double analytic = 0;
            for (int i = 0; i < xs.size(); i++) {
                Tensor x = feeds.get(xs.get(i).edge().name()), v = random(x.dtype(), x.shape(), random);
                directions.add(v);
                if (gradients.get(i) == null) continue;
                Tensor d = session.run(weighted, List.of(gradients.get(i).edge().name()), List.of())
                        .get(0);
                if (!d.shape().equals(x.shape()))
                    throw wrong(s, "gradient of input %d is %s, the input %s".formatted(i, d.describe(), x.describe()));
                for (long k = 0; k < x.size(); k++) analytic += d.getDouble(k) * v.getDouble(k);
            }
            double h = wide ? s.gradient().step() : Math.max(1e-2, s.gradient().step());
            double up = value(session, s, ys, xs, weights, weighted, feeds, directions, gradients, h);
            double down = value(session, s, ys, xs, weights, weighted, feeds, directions, gradients, -h);
            double numeric = (up - down) / (2 * h);
            double tolerance = wide
                    ? s.gradient().tolerance()
                    : Math.max(2e-2, s.gradient().tolerance());
            if (!(Math.abs(numeric - analytic)
                    <= tolerance * Math.max(1, Math.max(Math.abs(numeric), Math.abs(analytic))))) {
                throw wrong(s, "gradient along a direction is %s, by differences %s".formatted(analytic, numeric));
            }
        }
    }

    /** The weighted sum of outputs at {@code x + h v}; inputs without a gradient stay. */
    private static double value(
            Session session,
            Sample s,
            List<Value> ys,
            List<Value> xs,
            List<Value> weights,
            Map<String, Tensor> weighted,
            Map<String, Tensor> feeds,
            List<Tensor> directions,
            List<Value> gradients,
            double h) {
        Map<String, Tensor> moved = new HashMap<>(feeds);
        for (int i = 0; i < xs.size(); i++) {
            if (gradients.get(i) == null) continue;
            Tensor x = feeds.get(xs.get(i).edge().name()),
                    v = directions.get(i),
                    m = Tensor.allocate(x.dtype(), x.shape());
            for (long k = 0; k < x.size(); k++) m.set(k, x.getDouble(k) + h * v.getDouble(k));
            moved.put(xs.get(i).edge().name(), m);
        }
        List<Tensor> values = session.run(moved, names(ys), List.of());
        double sum = 0;
        for (int i = 0; i < values.size(); i++) {
            Tensor y = values.get(i), w = weighted.get(weights.get(i).edge().name());
            if (!y.shape().equals(w.shape())) throw wrong(s, "the shape of output %d depends on values".formatted(i));
            for (long k = 0; k < y.size(); k++) sum += y.getDouble(k) * w.getDouble(k);
        }
        return sum;
    }

    /** The sample with its f32, f16 and bf16 feeds as f64; null when the op has no f64 or needs none. */
    private static Sample widened(Sample s) {
        if (s.gradient().inputs().stream().allMatch(e -> e.type().dtype() == DType.F64)) return s;
        try {
            Graph g = new Graph();
            Map<Node, Node> copies = new HashMap<>();
            Map<String, Tensor> feeds = new LinkedHashMap<>();
            for (Node n : s.graph().nodes()) {
                List<Edge> inputs = n.inputs().stream()
                        .map(e -> copies.get(e.node()).edge(e.port()))
                        .toList();
                List<Node> controls = n.controls().stream().map(copies::get).toList();
                var op = n.op();
                if (op instanceof Placeholder p && p.dtype().isFloating()) {
                    op = new Placeholder(DType.F64, p.shape());
                    Tensor t = s.runs().get(0).feeds().get(n.edge(0).name()),
                            wide = Tensor.allocate(DType.F64, t.shape());
                    for (long i = 0; i < t.size(); i++) wide.set(i, t.getDouble(i));
                    feeds.put(n.edge(0).name(), wide);
                }
                copies.put(n, g.add(new NodeSpec(n.name(), op, inputs, controls, n.device(), n.extras())));
            }
            List<Edge> xs =
                    s.gradient().inputs().stream().map(e -> g.edge(e.name())).toList();
            List<Edge> ys =
                    s.gradient().outputs().stream().map(e -> g.edge(e.name())).toList();
            if (ys.stream().anyMatch(e -> e.type().dtype() != DType.F64)) return null;
            Sample.Run run = new Sample.Run(
                    feeds, s.runs().get(0).fetches(), s.runs().get(0).targets());
            var check = new Sample.GradientCheck(
                    xs, ys, s.gradient().step(), s.gradient().tolerance());
            return new Sample(s.name(), s.op(), g, List.of(run), check, null);
        } catch (OxbowException e) {
            return null;
        }
    }

    private static List<String> names(List<Value> values) {
        return values.stream().map(v -> v.edge().name()).toList();
    }

    private static Tensor random(DType dtype, Shape shape, Random random) {
        Tensor t = Tensor.allocate(dtype, shape);
        for (long i = 0; i < t.size(); i++) t.set(i, random.nextDouble() * 2 - 1);
        return t;
    }

    private static OxbowException wrong(Sample s, String what) {
        return new OxbowException(INTERNAL, s.name() + ": " + what);
    }
}
