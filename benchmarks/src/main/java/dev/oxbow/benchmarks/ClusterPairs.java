package dev.oxbow.benchmarks;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.trace.StepTrace;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Two ways to run one step, in turns, step by step: with this build and with another, traced and not. */
final class ClusterPairs {
    private static final int WARM = 20_000, STEPS = 100, TRACED_WARM = 3_000, TRACED_STEPS = 20;

    /** No step on tasks may take longer. */
    static final SessionOptions PATIENT = SessionOptions.defaults().withTimeout(Duration.ofSeconds(60));

    private static final int[] WIDTHS = {784, 512, 256, 10};

    private final Path work;
    private final int rounds;

    ClusterPairs(Path work, int rounds) {
        this.work = work;
        this.rounds = rounds;
    }

    /** One line: the median milliseconds of ours, and those of the other way to ours, round by round. */
    record Line(String name, double millis, Pairs pairs) {
        String text() {
            return "%-54s %10.3f ms      %s of %s (%s)"
                    .formatted(name, millis, pairs.ratio(), pairs.other(), pairs.quartiles());
        }
    }

    /** A graph that updates one variable on each of some tasks. */
    static final class NullStep {
        final Graph graph = new Graph();
        final List<String> starts = new ArrayList<>();
        final List<String> updates = new ArrayList<>();

        NullStep(int tasks) {
            for (int i = 0; i < tasks; i++)
                try (var _ = graph.device("/job:worker/task:" + i)) {
                    Parameter v = Parameter.of("v" + i, Ops.in(graph).constant(0f));
                    Value one = Ops.in(graph).constant(1f);
                    starts.add(v.initialiser().name());
                    updates.add(graph.add(
                                    new AssignAddVariableOp(),
                                    List.of(v.handle().edge(), one.edge()))
                            .name());
                }
        }

        Node[] nodes(List<String> names) {
            return names.stream().map(graph::node).toArray(Node[]::new);
        }
    }

    /** Null steps of our client on tasks of this build and on those of another. */
    Line nullSteps(int n, Build other) throws IOException, ChildProcess.Failure, ChildProcess.Absent {
        NullStep step = new NullStep(n);
        try (ClusterTeam own = new ClusterTeam(Build.own(), "oxbow", n, work);
                ClusterTeam before = new ClusterTeam(other, "oxbow", n, work);
                Session here = Session.open(own.target(), step.graph, PATIENT);
                Session there = Session.open(before.target(), step.graph, PATIENT)) {
            Node[] targets = step.nodes(step.updates);
            for (Session s : List.of(here, there))
                s.target(step.nodes(step.starts)).run().close();
            return paired(
                    "null step, %d task%s, own client".formatted(n, n == 1 ? "" : "s"),
                    other.name(),
                    () -> here.target(targets).run().close(),
                    () -> there.target(targets).run().close(),
                    WARM,
                    STEPS);
        }
    }

    /** The steps of a perceptron that is trained, traced and not, in this process and in a task. */
    List<Line> tracing() throws IOException, ChildProcess.Failure, ChildProcess.Absent {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        SplittableRandom random = new SplittableRandom(1);
        Value x = ops.placeholder("x", DType.F32, Shape.of(Perceptron.BATCH, WIDTHS[0]));
        Value y = ops.placeholder("y", DType.I32, Shape.of(Perceptron.BATCH));
        List<Parameter> parameters = new ArrayList<>();
        for (int i = 0; i + 1 < WIDTHS.length; i++) {
            parameters.add(Parameter.of("w" + i, ops.constant(filled(random, WIDTHS[i], WIDTHS[i + 1]))));
            parameters.add(Parameter.of("b" + i, ops.constant(Tensor.zeros(DType.F32, Shape.of(WIDTHS[i + 1])))));
        }
        Value loss =
                OxbowPeer.mlp(x, y, parameters.stream().map(Parameter::value).toList());
        Node[] updates = Minimiser.descent(Workload.MLP.rate())
                .minimise(loss, parameters)
                .targets();
        Node[] starts = parameters.stream().map(Parameter::initialiser).toArray(Node[]::new);
        List<Line> lines = new ArrayList<>();
        try (Tensor images = filled(random, Perceptron.BATCH, WIDTHS[0]);
                Tensor labels = Tensor.zeros(DType.I32, Shape.of(Perceptron.BATCH));
                ClusterTeam team = new ClusterTeam(Build.own(), "oxbow", 1, work);
                Session local = Session.open(g);
                Session remote = Session.open(team.target(), g, PATIENT)) {
            for (Session s : List.of(local, remote)) {
                s.target(starts).run().close();
                Runnable plain = () -> s.feed(x.edge(), images)
                        .feed(y.edge(), labels)
                        .target(updates)
                        .run()
                        .close();
                Runnable traced = () -> s.feed(x.edge(), images)
                        .feed(y.edge(), labels)
                        .target(updates)
                        .options(RunOptions.none().withTracer(new StepTrace()))
                        .run()
                        .close();
                String where = s == local ? "a session of this process" : "1 task";
                lines.add(paired("traced mlp step, " + where, "not traced", traced, plain, TRACED_WARM, TRACED_STEPS));
            }
        }
        return lines;
    }

    private static Tensor filled(SplittableRandom random, int rows, int columns) {
        float[] values = new float[rows * columns];
        for (int i = 0; i < values.length; i++) values[i] = (float) ((random.nextDouble() - 0.5) / Math.sqrt(rows));
        return Tensor.of(Shape.of(rows, columns), values);
    }

    private Line paired(String name, String other, Runnable own, Runnable theirs, int warm, int steps) {
        for (Runnable r : List.of(own, theirs)) for (int i = 0; i < warm; i++) r.run();
        double[][] figures = new double[2][rounds];
        for (int round = 0; round < rounds; round++) {
            double[][] times = new double[2][steps];
            for (int i = 0; i < steps; i++)
                for (int k = 0; k < 2; k++) {
                    boolean first = (i + k) % 2 == 0; // who comes first finds other caches
                    long from = System.nanoTime();
                    (first ? own : theirs).run();
                    times[first ? 0 : 1][i] = (System.nanoTime() - from) / 1e6;
                }
            for (int k = 0; k < 2; k++) figures[k][round] = Pairs.quantile(times[k], 0.5);
        }
        return new Line(name, Pairs.quantile(figures[0], 0.5), Pairs.of(other, figures[0], figures[1], true));
    }
}
