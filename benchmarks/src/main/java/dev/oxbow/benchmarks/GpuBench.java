package dev.oxbow.benchmarks;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench gpu}: times kernels and training steps on the first card, with data on it; exits 1 where a loss is not the CPU's. */
@Command(
        name = "gpu",
        description = "Times kernels and training steps on a card.",
        footer = {
            "",
            "Losses are compared with the CPU's before anything is timed. Data lie on the card, results stay there.",
            "Where the CPU's own losses move further when start values move by one unit in their last place, or when"
                    + " it",
            "computes in f64, that is the bound: no two orders of summation agree better.",
            "-Doxbow.matmul=tf32 in OXBOW_JAVA_OPTS has f32 products rounded to tf32. With --steps 0 the first call of"
                    + " a row is",
            "the process's first, too. Memory is the most that values took so far: ask for one row at a time."
        })
final class GpuBench implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--only",
            split = ",",
            description = "Rows by the start of their names, or by =NAME.",
            paramLabel = "NAME")
    private List<String> only = List.of("");

    @Option(names = "--rounds", description = "Rounds, of which the median counts (${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(names = "--seconds", description = "Time for each row (${DEFAULT-VALUE}).")
    private double seconds = 1;

    @Option(names = "--steps", description = "Steps whose losses are compared with the CPU's (${DEFAULT-VALUE}).")
    private int steps = 10;

    @Option(names = "--tolerance", description = "How far those may be off, relatively (${DEFAULT-VALUE}).")
    private double tolerance = 1e-5;

    @Option(
            names = "--python",
            arity = "0..1",
            fallbackValue = "python3",
            description = "Times PyTorch at its best in turns, by this Python (${FALLBACK-VALUE}).",
            paramLabel = "PROGRAM")
    private String python;

    @Option(names = "--ways", description = "Ways of PyTorch whose names match.", paramLabel = "REGEX")
    private String ways = "";

    @Option(names = "--double", description = "Compares losses in f64; times nothing.")
    private boolean inDouble;

    @Option(names = "--json", description = "Writes all figures there.", paramLabel = "FILE")
    private Path json;

    /** For the JIT compiler, and for the card's clocks. */
    private static final double WARM_SECONDS = 0.7;

    /** How much further than the CPU's own losses after a nudge the card's may be off: a nudge is one rounding of many. */
    private static final double OWN_FACTOR = 4;

    /** How far the losses of the first steps may be from PyTorch's, whose products round otherwise. */
    private static final double PEER_TOLERANCE = 5e-3;

    /**
     * One row: {@code units} of {@code unit} for each call; what the card can do at most, null where that is not known; and
     * PyTorch's name for it, which the precision is added to where it ends in a line, null where it has none.
     */
    private record Task(
            String name, String unit, double units, DoubleSupplier most, String peer, Supplier<CardJobs.Job> job) {
        Task(String name, String unit, double units, String peer, Supplier<CardJobs.Job> job) {
            this(name, unit, units, null, peer, job);
        }
    }

    private Engine engine;
    private CardJobs jobs;

    /** What the card did for a call of the row that was timed last. */
    private String done = "";

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        EngineOptions options = EngineOptions.defaults();
        List<GpuRow> rows = new ArrayList<>();
        boolean equal = true;
        try (Engine all = new Engine(options);
                Engine host =
                        new Engine(options, (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)))) {
            engine = all;
            Device card = card();
            if (card == null) {
                out.println("bench gpu: there is no card; see ./oxbow doctor");
                return 1;
            }
            jobs = new CardJobs(all, card, host, steps, inDouble ? DType.F64 : DType.F32);
            out.println("on " + card.name());
            for (Task t : tasks()) {
                if (only.stream()
                        .noneMatch(o -> o.startsWith("=") ? t.name.equals(o.substring(1)) : t.name.startsWith(o)))
                    continue;
                try (CardJobs.Job job = t.job.get()) {
                    equal &= compare(out, t.name, job);
                    if (!inDouble) equal &= time(out, t, job, rows);
                }
            }
        }
        if (json != null) write(rows);
        return equal ? CommandLine.ExitCode.OK : 1;
    }

    private boolean time(PrintWriter out, Task t, CardJobs.Job job, List<GpuRow> rows) throws IOException {
        long start = System.nanoTime();
        job.call().run();
        engine.await();
        double first = (System.nanoTime() - start) * 1e-9;
        boolean equal = true;
        try (CardPeer peer = peer(out, t)) {
            if (peer != null) equal = compare(out, t.name, job, peer);
            GpuRow row = timed(t, job, first, peer);
            rows.add(row);
            out.println(row.inWords(t.units));
            out.printf("%-18s %s a call%n", t.name, done);
            out.flush();
        }
        return equal;
    }

    private Device card() {
        return engine.devices().stream()
                .filter(d -> !d.spec().type().equals("CPU"))
                .findFirst()
                .orElse(null);
    }

    private List<Task> tasks() {
        List<Task> all = new ArrayList<>();
        double product = 2e-12 * Math.pow(8192, 3);
        DoubleSupplier copy = this::copyRate;
        all.add(new Task("matmul8192-f32", "TFLOP/s", product, "matmul8192-", () -> jobs.matmul(8192, DType.F32)));
        all.add(new Task(
                "matmul8192-bf16", "TFLOP/s", product, "matmul8192-bf16", () -> jobs.matmul(8192, DType.BF16)));
        all.add(new Task("relu-268M", "GB/s", 16e-9 * (1 << 28), copy, "relu-268M", () -> jobs.relu(1 << 28)));
        all.add(new Task("xent-f32", "GB/s", 8e-9 * 32768 * 50304, copy, "xent-f32", () -> jobs.xent(DType.F32)));
        all.add(new Task("xent-bf16", "GB/s", 4e-9 * 32768 * 50304, copy, "xent-bf16", () -> jobs.xent(DType.BF16)));
        all.add(new Task("tiny1000", "ops/s", 1000, "tiny1000", () -> jobs.training(Workload.TINY_ADD, false)));
        all.add(new Task("mlp", "steps/s", 1, "mlp-", () -> jobs.training(Workload.MLP, true)));
        all.add(new Task("mlp-fetched", "steps/s", 1, null, () -> jobs.fetched(Workload.MLP)));
        all.add(new Task("mlp-host", "steps/s", 1, null, () -> jobs.fromHost(Workload.MLP)));
        all.add(new Task("mlp-loop", "steps/s", Workload.LOOP_STEPS, null, () -> jobs.fetched(Workload.MLP_LOOP)));
        all.add(new Task("mlp-queue", "steps/s", 1, null, () -> jobs.fetched(Workload.MLP_QUEUE)));
        all.add(new Task("cnn", "images/s", 64, "cnn-", () -> jobs.training(Workload.CNN, true)));
        all.add(new Task("transformer", "steps/s", 1, "transformer-", () -> jobs.training(Workload.TRANSFORMER, true)));
        all.add(new Task("embedding", "steps/s", 1, "embedding-", () -> jobs.training(Workload.EMBEDDING, true)));
        if (!inDouble) // the op over all of the time is of f32
        all.add(new Task(
                "lstm", "steps/s", 1, "lstm-", () -> jobs.training(Workload.LSTM, OxbowForms::lstmLayer, true)));
        all.add(new Task("lstm-unrolled", "steps/s", 1, null, () -> jobs.training(Workload.LSTM, true)));
        all.add(new Task("gpt2-small", "tokens/s", 2 * 128, null, () -> jobs.large(() -> Gpt2.of(2, 2, 128), true)));
        all.add(new Task("resnet50-small", "images/s", 8, null, () -> jobs.large(() -> ResNet50.of(8, 64), true)));
        all.add(new Task("gpt2", "tokens/s", 32 * 1024, "gpt2", () -> jobs.large(() -> Gpt2.of(12, 32, 1024), false)));
        all.add(new Task(
                "gpt2-bf16",
                "tokens/s",
                32 * 1024,
                "gpt2-bf16",
                () -> jobs.large(() -> Gpt2.inHalf(12, 32, 1024), false)));
        all.add(new Task(
                "resnet50", "images/s", 256, "resnet50", () -> jobs.large(() -> ResNet50.of(256, 224), false)));
        return all;
    }

    private double copied = Double.NaN;

    /** GB/s of reading and writing 2 GB, measured once. */
    private double copyRate() {
        if (!Double.isNaN(copied)) return copied;
        Ops ops = Ops.in(new Graph());
        Value x = ops.placeholder("x", DType.F32, Shape.of(1 << 28));
        Map<Value, Tensor> feeds = Map.of(x, StartValues.normal("copy.x", 1, DType.F32, 1 << 28));
        try (CardJobs.Job job = jobs.kernel(ops, feeds, x.negated())) {
            copied = timed(new Task("copy", "GB/s", 8e-9 * (1 << 28), null, () -> job), job, 0, null)
                    .median();
            return copied;
        } catch (IOException e) {
            throw new IllegalStateException("the card's copies can not be timed", e);
        }
    }

    private boolean compare(PrintWriter out, String name, CardJobs.Job job) {
        if (job.losses() == null) return true;
        if (job.wanted() == null) {
            boolean repeats = Arrays.equals(job.losses(), job.again());
            out.printf(
                    Locale.ROOT,
                    "%-18s losses %s; %s%n",
                    name,
                    Arrays.toString(job.losses()),
                    repeats ? "they repeat bit for bit" : "they DO NOT REPEAT");
            return repeats;
        }
        double most = 0, early = 0, own = 0;
        for (int i = 0; i < job.wanted().length; i++) {
            most = Math.max(most, Math.abs(job.losses()[i] - job.wanted()[i]) / Math.abs(job.wanted()[i]));
            own = Math.max(own, Math.abs(job.nudged()[i] - job.wanted()[i]) / Math.abs(job.wanted()[i]));
            if (i < 10) early = most;
        }
        boolean same = most <= Math.max(tolerance, OWN_FACTOR * own),
                repeats = Arrays.equals(job.losses(), job.again());
        out.printf(
                Locale.ROOT,
                "%-18s %d losses %s the CPU's, off by %.2g at most, %.2g in the first ten (its own by %.2g after a"
                        + " nudge or in f64), from %.6f to %.6f; %s, bits %08x%n",
                name,
                job.wanted().length,
                same ? "equal" : "DIFFER FROM",
                most,
                early,
                own,
                job.losses()[0],
                job.losses()[job.losses().length - 1],
                repeats ? "they repeat bit for bit" : "they DO NOT REPEAT",
                Arrays.hashCode(job.losses()));
        return same && repeats;
    }

    /** PyTorch with the same workload, made ready; null where it is not wanted, has none, or fails, which is said. */
    private CardPeer peer(PrintWriter out, Task t) {
        if (python == null || t.peer == null) return null;
        boolean precise = t.peer.endsWith("-");
        String precision = System.getProperty("oxbow.matmul", "").equals("tf32") ? "tf32" : "f32";
        try {
            return new CardPeer(python, precise ? t.peer + precision : t.peer, ways);
        } catch (IOException e) {
            out.printf("%-18s is timed without PyTorch: %s%n", t.name, e.getMessage());
            return null;
        }
    }

    /** Compares the losses of the first steps with PyTorch's. */
    private boolean compare(PrintWriter out, String name, CardJobs.Job job, CardPeer peer) {
        if (job.losses() == null || peer.losses() == null) return true;
        int n = Math.min(Math.min(job.losses().length, peer.losses().length), CardJobs.LARGE_STEPS);
        double most = 0;
        for (int i = 0; i < n; i++)
            most = Math.max(most, Math.abs(job.losses()[i] - peer.losses()[i]) / Math.abs(peer.losses()[i]));
        boolean same = most <= PEER_TOLERANCE;
        out.printf(
                Locale.ROOT,
                "%-18s %d losses %s PyTorch's, off by %.2g at most%n",
                name,
                n,
                same ? "equal" : "DIFFER FROM",
                most);
        return same;
    }

    private GpuRow timed(Task t, CardJobs.Job job, double first, CardPeer peer) throws IOException {
        long warm = System.nanoTime() + (long) (WARM_SECONDS * 1e9);
        for (int i = 0; i < 10 || System.nanoTime() < warm; i++) job.call().run();
        engine.await();
        long one = System.nanoTime();
        for (int i = 0; i < 3; i++) job.call().run();
        engine.await();
        double each = (System.nanoTime() - one) * 1e-9 / 3;
        int calls = (int) Math.clamp(seconds / rounds / each, 1, 1 << 20);
        double[] figures = new double[rounds];
        Map<String, Long> before = card().counts();
        for (int r = 0; r < rounds; r++) {
            long start = System.nanoTime();
            for (int i = 0; i < calls; i++) job.call().run();
            engine.await();
            figures[r] = t.units * calls / ((System.nanoTime() - start) * 1e-9);
            if (peer != null) peer.round(seconds / rounds);
        }
        done = each(before, card().counts(), (long) calls * rounds);
        Arrays.sort(figures);
        double median = figures[rounds / 2], share = t.most == null ? Double.NaN : median / t.most.getAsDouble();
        GpuRow.Other other = peer == null ? null : peer.best(t.units);
        long bytes = card().memory().peakBytes();
        return new GpuRow(t.name, t.unit, median, figures[0], figures[rounds - 1], first, bytes, share, other);
    }

    /** What the card did for each of so many calls, in words. */
    private static String each(Map<String, Long> before, Map<String, Long> after, long calls) {
        List<String> all = new ArrayList<>();
        after.forEach((name, n) -> all.add(
                String.format(Locale.ROOT, "%.4g %s", (n - before.getOrDefault(name, 0L)) / (double) calls, name)));
        return String.join(", ", all);
    }

    private void write(List<GpuRow> rows) throws IOException {
        List<String> lines = new ArrayList<>();
        for (GpuRow r : rows) lines.add("  " + r.inJson());
        Files.writeString(json, "{\"rows\": [\n" + String.join(",\n", lines) + "\n]}\n");
    }
}
