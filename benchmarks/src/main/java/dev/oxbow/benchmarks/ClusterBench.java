package dev.oxbow.benchmarks;

import dev.oxbow.cluster.rpc.Loops;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.cluster.rpc.Peer;
import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Fill;
import dev.oxbow.ops.array.Slice;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.GetStatusRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench cluster}: steps over several tasks beside TensorFlow's servers; exits 1 when a server failed. */
@Command(
        name = "cluster",
        sortOptions = false,
        description = {
            "Times steps that update one variable on each of 1, 2 and 8 tasks, and 64 MB between two tasks, through"
                    + " TensorFlow's client, on our servers and on TensorFlow's, in turns; and through our client on ours."
                    + " Every task is a process of its own that has done 20,000 steps before. A ratio is our value to"
                    + " theirs: of times, below 1 is faster, of rates above 1. With --python, null steps go through its"
                    + " Python client, which then trains two perceptrons, too.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  ./oxbow bench cluster",
            "  ./oxbow bench cluster --rounds 9 --json cluster.json",
            "  ./oxbow bench cluster --only null --build ../older    this build beside that of another checkout",
            "  ./oxbow bench cluster --only tracing"
        })
final class ClusterBench implements Callable<Integer> {
    private static final int STEPS = 200, LARGE = 1 << 24, LARGE_WARM = 400, LARGE_STEPS = 20, SEND_WARM = 10;

    /** Steps before the first that counts: with eight of them on two cores, virtual machines compile for so long. */
    private static final int WARM = 20_000;

    private static final List<String> TRAINED = List.of("784-2048-2048-10", "784-512-256-10");
    private static final int BATCH = 128, LOCAL_STEPS = 200;
    private static final double LOCAL_WARM_NANOS = 5e9;
    private static final int PYTHON_ROUNDS = 3, PYTHON_SECONDS = 120;

    @Spec
    private picocli.CommandLine.Model.CommandSpec spec;

    @Option(names = "--rounds", defaultValue = "7", paramLabel = "N", description = "Rounds, ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(names = "--python", description = "Time null steps and training through TensorFlow's Python client.")
    private boolean python;

    @Option(
            names = "--only",
            split = ",",
            defaultValue = "null,large,training",
            paramLabel = "PART",
            description =
                    "Parts: null (steps), large (64 MB), training (with --python), tracing (a perceptron's steps with"
                            + " and without a trace).")
    private List<String> only;

    @Option(
            names = "--tasks",
            split = ",",
            defaultValue = "1,2,8",
            paramLabel = "N",
            description = "How many tasks null steps are on, ${DEFAULT-VALUE}.")
    private List<Integer> tasks;

    @Option(
            names = "--build",
            paramLabel = "FOLDER",
            description = "Time null steps on tasks of another checkout's build instead of TensorFlow's, in turns.")
    private Path build;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the rows to a file as JSON.")
    private Path json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this.")
    private boolean help;

    /** One line: ours and, where there is a peer, what it is held against. */
    private record Line(String name, double value, String unit, Double ratio) {
        String json() {
            return "{\"name\": %s, \"value\": %s, \"unit\": %s, \"ratio\": %s}"
                    .formatted(Report.quoted(name), Report.value(value), Report.quoted(unit), Report.value(ratio));
        }
    }

    private final Path work = Python.root().resolve(".oxbow");

    @Override
    public Integer call() throws IOException, InterruptedException {
        Main.checkPositive(spec, "--rounds", rounds);
        for (int n : tasks) Main.checkPositive(spec, "--tasks", n);
        Main.checkWritable(spec, json);
        Files.createDirectories(work);
        if (python) Python.install(work);
        List<Line> lines = new ArrayList<>();
        List<ClusterPairs.Line> pairs = new ArrayList<>();
        try {
            pairs(pairs);
            if (only.contains("null") && build == null) for (int n : tasks) nullSteps(n, lines);
            if (only.contains("large")) large(lines);
            if (only.contains("training") && python) for (String sizes : TRAINED) training(sizes, lines);
        } catch (ChildProcess.Failure | ChildProcess.Absent e) {
            System.err.println("bench cluster: " + e.getMessage() + "; logs are in " + work);
            return 1;
        }
        for (Line l : lines)
            System.out.printf(
                    Locale.ROOT,
                    "%-54s %10.3f %-7s %s%n",
                    l.name,
                    l.value,
                    l.unit,
                    l.ratio == null ? "" : String.format(Locale.ROOT, "ratio %.2f", l.ratio));
        for (ClusterPairs.Line l : pairs) {
            System.out.println(l.text());
            lines.add(new Line(l.name(), l.millis(), "ms", l.pairs().median()));
        }
        if (json != null)
            Files.writeString(
                    json, lines.stream().map(Line::json).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n")));
        return 0;
    }

    private ClusterTeam team(String system, int n) throws IOException, ChildProcess.Failure, ChildProcess.Absent {
        return new ClusterTeam(Build.own(), system, n, work);
    }

    /** What is held against this build itself: another one, and steps that are traced. */
    private void pairs(List<ClusterPairs.Line> lines)
            throws IOException, InterruptedException, ChildProcess.Failure, ChildProcess.Absent {
        ClusterPairs pairs = new ClusterPairs(work, rounds);
        if (build != null && only.contains("null")) {
            Build other = Build.make(build);
            for (int n : tasks) lines.add(pairs.nullSteps(n, other));
        }
        if (only.contains("tracing")) lines.addAll(pairs.tracing());
    }

    private void nullSteps(int n, List<Line> lines)
            throws IOException, InterruptedException, ChildProcess.Failure, ChildProcess.Absent {
        ClusterPairs.NullStep step = new ClusterPairs.NullStep(n);
        Graph g = step.graph;
        List<String> starts = step.starts, updates = step.updates;
        String on = n == 1 ? "1 task" : n + " tasks";
        System.err.println("null steps on " + on);
        try (ClusterTeam ours = team("oxbow", n);
                ClusterTeam theirs = team("tensorflow", n);
                RemoteTensorFlow onOurs = new RemoteTensorFlow(ours.target(), g);
                RemoteTensorFlow onTheirs = new RemoteTensorFlow(theirs.target(), g);
                Session own = Session.open(ours.target(), g, ClusterPairs.PATIENT);
                Loops loops = new Loops("bench", 1);
                Peer empty = new Peer(ours.address(), loops, Security.NONE, 1 << 20)) {
            Node[] targets = step.nodes(updates);
            List<Runnable> all = List.of(
                    () -> onOurs.run(updates),
                    () -> onTheirs.run(updates),
                    () -> own.target(targets).run().close(),
                    () -> call(empty));
            onOurs.run(starts);
            onTheirs.run(starts);
            double[] medians = interleaved(all, WARM, STEPS);
            double[] client = python ? byPython(n, ours, theirs) : medians;
            lines.add(new Line("null step, " + on, client[0], "ms", client[0] / client[1]));
            lines.add(new Line("null step, " + on + ", own client", medians[2], "ms", medians[2] / medians[1]));
            lines.add(new Line("empty call, " + on, medians[3], "ms", null));
            lines.add(new Line(
                    "null step, " + on + ", own client, to an empty call", medians[2] / medians[3], "times", null));
        }
    }

    /** The medians of a Python client on our servers and on theirs, which are warm, in turns. */
    private double[] byPython(int n, ClusterTeam ours, ClusterTeam theirs) throws IOException, InterruptedException {
        double[][] figures = new double[2][PYTHON_ROUNDS];
        for (int round = 0; round < PYTHON_ROUNDS; round++)
            for (int k = 0; k < 2; k++) {
                figures[k][round] = byPython("nullstep.py", "" + n, (k == 0 ? ours : theirs).target());
            }
        return Arrays.stream(figures).mapToDouble(f -> Pairs.quantile(f, 0.5)).toArray();
    }

    /** The number that a program of ours prints. */
    private double byPython(String script, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Python.executable(work).toString(),
                Python.scripts().resolve(script).toString()));
        command.addAll(List.of(arguments));
        Path log = work.resolve(script + ".log"), out = work.resolve(script + ".out");
        Process p = new ProcessBuilder(command)
                .redirectError(log.toFile())
                .redirectOutput(out.toFile())
                .start();
        if (!p.waitFor(PYTHON_SECONDS, TimeUnit.SECONDS)) {
            p.destroyForcibly();
            throw new IOException("%s did not end within %d s, see %s".formatted(script, PYTHON_SECONDS, log));
        }
        if (p.exitValue() != 0) throw new IOException(script + " failed, see " + log);
        return Double.parseDouble(Files.readString(out).strip());
    }

    /** A perceptron that TensorFlow's client feeds, on our server, on theirs and in a session of this process, in turns. */
    private void training(String sizes, List<Line> lines)
            throws IOException, InterruptedException, ChildProcess.Failure, ChildProcess.Absent {
        System.err.println("training " + sizes);
        String graph = work.resolve("trainstep.pb").toString();
        double[][] figures = new double[3][PYTHON_ROUNDS];
        for (int round = 0; round < PYTHON_ROUNDS; round++) {
            for (int k = 0; k < 2; k++)
                try (ClusterTeam c = team(k == 0 ? "oxbow" : "tensorflow", 1)) {
                    figures[k][round] = byPython("trainstep.py", sizes, "" + BATCH, c.target(), graph);
                }
            figures[2][round] = local(Files.readAllBytes(Path.of(graph)));
        }
        double[] medians =
                Arrays.stream(figures).mapToDouble(f -> Pairs.quantile(f, 0.5)).toArray();
        String name = "training " + sizes + ", batch " + BATCH;
        lines.add(new Line(name, 1e3 / medians[0], "steps/s", medians[1] / medians[0]));
        lines.add(new Line(name + ", to a local session", 1e3 / medians[2], "steps/s", medians[2] / medians[0]));
    }

    /** The median milliseconds of a step of the same graph in a session of this process. */
    private static double local(byte[] graph) {
        Graph g = GraphImporter.read(graph);
        Shape x = Shape.of(BATCH, g.edge("x:0").type().shape().dim(1));
        Shape y = Shape.of(BATCH, g.edge("y:0").type().shape().dim(1));
        float[] data = new float[(int) x.size()], labels = new float[(int) y.size()];
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < data.length; i++) data[i] = random.nextFloat();
        for (int i = 0; i < BATCH; i++) labels[(int) (i * y.dim(1) + random.nextInt((int) y.dim(1)))] = 1;
        double[] times = new double[LOCAL_STEPS];
        try (Session s = Session.open(g);
                Tensor a = Tensor.of(x, data);
                Tensor b = Tensor.of(y, labels)) {
            s.run(Map.of(), List.of(), List.of("init"));
            Runnable step = () -> s.run(Map.of("x:0", a, "y:0", b), List.of(), List.of("step"));
            for (long from = System.nanoTime(); System.nanoTime() - from < LOCAL_WARM_NANOS; ) step.run();
            for (int i = 0; i < LOCAL_STEPS; i++) {
                long from = System.nanoTime();
                step.run();
                times[i] = (System.nanoTime() - from) / 1e6;
            }
        }
        return Pairs.quantile(times, 0.5);
    }

    private static void call(Peer p) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        p.call(
                Methods.GET_STATUS,
                GetStatusRequest.getDefaultInstance(),
                null,
                Duration.ofSeconds(10),
                (_, _) -> end.complete(null));
        end.join();
    }

    /** The median time of a run of each, in milliseconds, after warming up. */
    private double[] interleaved(List<Runnable> all, int warm, int steps) {
        for (Runnable r : all) for (int i = 0; i < warm; i++) r.run();
        double[][] figures = new double[all.size()][rounds];
        for (int round = 0; round < rounds; round++)
            for (int k = 0; k < all.size(); k++) {
                double[] times = new double[steps];
                for (int i = 0; i < steps; i++) {
                    long from = System.nanoTime();
                    all.get(k).run();
                    times[i] = (System.nanoTime() - from) / 1e6;
                }
                figures[k][round] = Pairs.quantile(times, 0.5);
            }
        return Arrays.stream(figures).mapToDouble(f -> Pairs.quantile(f, 0.5)).toArray();
    }

    /** 64 MB that one task has and another one wants, of which it looks at the last element: what it does with them is no transfer. */
    private void large(List<Line> lines) throws IOException, ChildProcess.Failure, ChildProcess.Absent {
        System.err.println("64 MB between 2 tasks");
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Parameter v;
        Value block;
        Node end;
        try (var _ = g.device("/job:worker/task:1")) {
            v = Parameter.of(
                    "v",
                    ops.add(new Fill(), ops.constant(new int[] {LARGE}), ops.constant(1f))
                            .getFirst());
            block = v.value();
        }
        try (var _ = g.device("/job:worker/task:0")) {
            end = ops.add(new Slice(), block, ops.constant(new int[] {LARGE - 1}), ops.constant(new int[] {1}))
                    .getFirst()
                    .edge()
                    .node();
        }
        if (block.dtype() != DType.F32) throw new IllegalStateException(block.toString());
        try (ClusterTeam ours = team("oxbow", 2);
                ClusterTeam theirs = team("tensorflow", 2);
                RemoteTensorFlow onOurs = new RemoteTensorFlow(ours.target(), g);
                RemoteTensorFlow onTheirs = new RemoteTensorFlow(theirs.target(), g)) {
            List<String> start = List.of(v.initialiser().name()), run = List.of(end.name());
            warm(ours);
            onOurs.run(start);
            onTheirs.run(start);
            double[] medians =
                    interleaved(List.of(() -> onOurs.run(run), () -> onTheirs.run(run)), LARGE_WARM, LARGE_STEPS);
            double gigabytes = 4.0 * LARGE / 1e9, rate = gigabytes / (medians[0] / 1e3), sent = gigabytes / sent();
            lines.add(new Line("64 MB, 2 tasks", rate, "GB/s", medians[1] / medians[0]));
            lines.add(new Line("64 MB, 2 tasks, to one rank's send to another", sent, "GB/s", rate / sent));
        }
    }

    /** Small steps: two virtual machines that compile take the cores from what is copied by both; theirs compile nothing. */
    private static void warm(ClusterTeam team) {
        ClusterPairs.NullStep step = new ClusterPairs.NullStep(2);
        try (RemoteTensorFlow client = new RemoteTensorFlow(team.target(), step.graph)) {
            client.run(step.starts);
            for (int i = 0; i < WARM; i++) client.run(step.updates);
        }
    }

    /** The median seconds in which one rank sends as much to another, on this host. */
    private double sent() throws IOException, ChildProcess.Failure, ChildProcess.Absent {
        long bytes = 4L * LARGE;
        try (Site site = Site.loopback(null);
                Team ranks = Team.oxbow(Build.own(), site, "shm", 2, bytes, work)) {
            for (int i = 0; i < SEND_WARM; i++) ranks.run(Collective.SEND, bytes, LARGE_STEPS, "none", "-");
            double[] figures = new double[rounds];
            for (int i = 0; i < rounds; i++) figures[i] = ranks.run(Collective.SEND, bytes, LARGE_STEPS, "none", "-");
            return Pairs.quantile(figures, 0.5);
        }
    }
}
