package dev.oxbow.benchmarks;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.rewrite.MixedPrecision;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
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
            "Where the CPU's own losses move further when start values move by one unit in their last place, that is"
                    + " the",
            "bound: no two orders of summation agree better.",
            "-Doxbow.matmul=tf32 in OXBOW_JAVA_OPTS has f32 products rounded to tf32."
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

    @Option(names = "--json", description = "Writes all figures there.", paramLabel = "FILE")
    private Path json;

    /** For the JIT compiler, and for the card's clocks. */
    private static final double WARM_SECONDS = 0.7;

    /** How much further than the CPU's own losses after a nudge the card's may be off: a nudge is one rounding of many. */
    private static final double OWN_FACTOR = 4;

    /** Steps of large models whose losses are told: after a few AdamW without a slow start makes rounding large. */
    private static final int LARGE_STEPS = 3;

    /** One row: {@code units} of {@code unit} for each call. */
    private record Task(String name, String unit, double units, Supplier<Job> job) {}

    /** A row made ready: one call, and the losses of the first calls on the card, twice, and on the CPU, if any. */
    private record Job(
            Runnable call, double[] losses, double[] again, double[] wanted, double[] nudged, AutoCloseable open) {}

    private record Row(String name, String unit, double median, double least, double most, double firstSeconds) {}

    private Engine engine;
    private Engine cpu;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        EngineOptions options = EngineOptions.defaults();
        List<Row> rows = new ArrayList<>();
        boolean equal = true;
        try (Engine all = new Engine(options);
                Engine host =
                        new Engine(options, (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)))) {
            engine = all;
            cpu = host;
            Device card = card();
            if (card == null) {
                out.println("bench gpu: there is no card; see ./oxbow doctor");
                return 1;
            }
            out.println("on " + card.name());
            for (Task t : tasks()) {
                if (only.stream()
                        .noneMatch(o -> o.startsWith("=") ? t.name.equals(o.substring(1)) : t.name.startsWith(o)))
                    continue;
                long start = System.nanoTime();
                Job job = t.job.get();
                double first = (System.nanoTime() - start) * 1e-9;
                boolean same = compare(out, t.name, job);
                equal &= same;
                Row row = timed(t, job, first);
                rows.add(row);
                out.printf(
                        Locale.ROOT,
                        "%-18s %12.4g %-9s %10.2f us a call   (%.4g to %.4g; ready in %.2f s)%n",
                        row.name,
                        row.median,
                        row.unit,
                        1e6 * t.units / row.median,
                        row.least,
                        row.most,
                        row.firstSeconds);
                out.flush();
                job.open.close();
            }
        }
        if (json != null) write(rows);
        return equal ? CommandLine.ExitCode.OK : 1;
    }

    private Device card() {
        return engine.devices().stream()
                .filter(d -> !d.spec().type().equals("CPU"))
                .findFirst()
                .orElse(null);
    }

    private List<Task> tasks() {
        List<Task> all = new ArrayList<>();
        all.add(new Task("matmul8192-f32", "TFLOP/s", 2e-12 * Math.pow(8192, 3), () -> matmul(8192, DType.F32)));
        all.add(new Task("matmul8192-bf16", "TFLOP/s", 2e-12 * Math.pow(8192, 3), () -> matmul(8192, DType.BF16)));
        all.add(new Task("relu-268M", "GB/s", 16e-9 * (1 << 28), () -> relu(1 << 28)));
        all.add(new Task("xent-f32", "GB/s", 8e-9 * 32768 * 50304, () -> xent(DType.F32)));
        all.add(new Task("xent-bf16", "GB/s", 4e-9 * 32768 * 50304, () -> xent(DType.BF16)));
        all.add(new Task("tiny1000", "ops/s", 1000, () -> training(Workload.TINY_ADD, false)));
        all.add(new Task("mlp", "steps/s", 1, () -> training(Workload.MLP, true)));
        all.add(new Task("mlp-fetched", "steps/s", 1, () -> fetched(Workload.MLP)));
        all.add(new Task("mlp-loop", "steps/s", 20, () -> fetched(Workload.MLP_LOOP)));
        all.add(new Task("cnn", "images/s", 64, () -> training(Workload.CNN, true)));
        all.add(new Task("transformer", "steps/s", 1, () -> training(Workload.TRANSFORMER, true)));
        all.add(new Task("embedding", "steps/s", 1, () -> training(Workload.EMBEDDING, true)));
        all.add(new Task("lstm", "steps/s", 1, () -> training(Workload.LSTM, true)));
        all.add(new Task("gpt2-small", "tokens/s", 2 * 128, () -> large(() -> Gpt2.of(2, 2, 128), true)));
        all.add(new Task("resnet50-small", "images/s", 8, () -> large(() -> ResNet50.of(8, 64), true)));
        all.add(new Task("gpt2", "tokens/s", 32 * 1024, () -> large(() -> Gpt2.of(12, 32, 1024), false)));
        all.add(new Task("resnet50", "images/s", 256, () -> large(() -> ResNet50.of(256, 224), false)));
        return all;
    }

    private static SessionOptions options(Workload w) {
        SessionOptions o = SessionOptions.defaults().withStepsInFlight(2);
        return w == Workload.TINY_ADD ? o.withOptimise(false) : o;
    }

    private Job training(Workload w, boolean losses) {
        Inputs inputs = StartValues.of(w);
        double[] got = null, again = null, wanted = null, nudged = null;
        if (losses && steps > 0) {
            wanted = losses(w, inputs, cpu);
            nudged = losses(w, inputs.nudged(), cpu);
            got = losses(w, inputs, engine);
            again = losses(w, inputs, engine);
        }
        OxbowModel m = OxbowPeer.built(w, inputs).openOn(engine, card(), options(w));
        return new Job(losses ? m::stepOnly : m::step, got, again, wanted, nudged, m);
    }

    /** A model whose products are in bf16; where that is asked for, compared with the CPU. */
    private Job large(Supplier<CardModel> model, boolean compared) {
        SessionOptions mixed = SessionOptions.defaults().withRewrite(new MixedPrecision(DType.BF16));
        int n = Math.min(steps, LARGE_STEPS);
        double[] got = n == 0 ? null : losses(model, engine, mixed, n),
                again = n == 0 ? null : losses(model, engine, mixed, n);
        boolean both = compared && n > 0;
        double[] wanted = both ? losses(model, cpu, mixed, n) : null;
        double[] full = both ? losses(model, cpu, SessionOptions.defaults(), n) : null;
        CardModel m = model.get().openOn(engine, card(), mixed.withStepsInFlight(2));
        return new Job(m::step, got, again, wanted, full, m);
    }

    private double[] losses(Supplier<CardModel> model, Engine on, SessionOptions options, int n) {
        Device first = on == engine ? card() : on.devices().getFirst();
        try (CardModel m = model.get().openOn(on, first, options)) {
            double[] all = new double[n];
            for (int i = 0; i < n; i++) all[i] = m.stepWithLoss();
            return all;
        }
    }

    /** The same with the loss brought back from each step. */
    private Job fetched(Workload w) {
        OxbowModel m = OxbowPeer.built(w, StartValues.of(w)).openOn(engine, card(), options(w));
        return new Job(m::step, null, null, null, null, m);
    }

    private double[] losses(Workload w, Inputs inputs, Engine on) {
        Device first = on == engine ? card() : on.devices().getFirst();
        try (OxbowModel m = OxbowPeer.built(w, inputs).openOn(on, first, SessionOptions.defaults())) {
            double[] all = new double[steps];
            for (int i = 0; i < steps; i++) {
                m.step();
                all[i] = m.last();
            }
            return all;
        }
    }

    private Job matmul(int n, DType dtype) {
        Ops ops = Ops.in(new Graph());
        Value x = ops.placeholder("x", dtype, Shape.of(n, n)), y = ops.placeholder("y", dtype, Shape.of(n, n));
        Value z = x.matMul(y);
        return kernel(
                ops,
                Map.of(
                        x, StartValues.normal("matmul.x", 1, dtype, n, n),
                        y, StartValues.normal("matmul.y", 1, dtype, n, n)),
                z);
    }

    private Job relu(int n) {
        Ops ops = Ops.in(new Graph());
        Map<Value, Tensor> feeds = new LinkedHashMap<>();
        for (String name : List.of("x", "y", "z"))
            feeds.put(
                    ops.placeholder(name, DType.F32, Shape.of(n)), StartValues.normal("relu." + name, 1, DType.F32, n));
        List<Value> v = List.copyOf(feeds.keySet());
        return kernel(ops, feeds, v.get(0).times(v.get(1)).plus(v.get(2)).relu());
    }

    private Job xent(DType dtype) {
        int rows = 32768, columns = 50304;
        Ops ops = Ops.in(new Graph());
        Value x = ops.placeholder("x", dtype, Shape.of(rows, columns)),
                y = ops.placeholder("y", DType.I32, Shape.of(rows));
        Value loss = Value.applyAll(Ops.named("SparseSoftmaxCrossEntropyWithLogits", Map.of()), x, y)
                .get(0)
                .mean();
        return kernel(
                ops,
                Map.of(
                        x, StartValues.normal("xent.x", 1, dtype, rows, columns),
                        y, StartValues.wholeNumbers("xent.y", columns, rows)),
                loss,
                Gradients.of(loss, x).get(0));
    }

    /** A call that computes values and leaves them. */
    private Job kernel(Ops ops, Map<Value, Tensor> feeds, Value... results) {
        Session session =
                Session.open(ops.graph(), engine, SessionOptions.defaults().withStepsInFlight(2));
        Map<Value, Tensor> there = new LinkedHashMap<>();
        feeds.forEach((v, t) -> {
            there.put(v, card().adopt(t.retain()));
            t.close();
        });
        Runnable call = () -> {
            Session.Run run =
                    session.target(Arrays.stream(results).map(Value::node).toArray(Node[]::new));
            there.forEach((v, t) -> run.feed(v.edge(), t));
            run.run();
        };
        return new Job(call, null, null, null, null, () -> {
            session.close();
            there.values().forEach(Tensor::release);
        });
    }

    private boolean compare(PrintWriter out, String name, Job job) {
        if (job.losses == null) return true;
        if (job.wanted == null) {
            boolean repeats = Arrays.equals(job.losses, job.again);
            out.printf(
                    Locale.ROOT,
                    "%-18s losses %s; %s%n",
                    name,
                    Arrays.toString(job.losses),
                    repeats ? "they repeat bit for bit" : "they DO NOT REPEAT");
            return repeats;
        }
        double most = 0, early = 0, own = 0;
        for (int i = 0; i < job.wanted.length; i++) {
            most = Math.max(most, Math.abs(job.losses[i] - job.wanted[i]) / Math.abs(job.wanted[i]));
            own = Math.max(own, Math.abs(job.nudged[i] - job.wanted[i]) / Math.abs(job.wanted[i]));
            if (i < 10) early = most;
        }
        boolean same = most <= Math.max(tolerance, OWN_FACTOR * own), repeats = Arrays.equals(job.losses, job.again);
        out.printf(
                Locale.ROOT,
                "%-18s %d losses %s the CPU's, off by %.2g at most, %.2g in the first ten (its own by %.2g after a"
                        + " nudge), from %.6f to %.6f; %s%n",
                name,
                job.wanted.length,
                same ? "equal" : "DIFFER FROM",
                most,
                early,
                own,
                job.losses[0],
                job.losses[job.losses.length - 1],
                repeats ? "they repeat bit for bit" : "they DO NOT REPEAT");
        return same && repeats;
    }

    private Row timed(Task t, Job job, double first) {
        long warm = System.nanoTime() + (long) (WARM_SECONDS * 1e9);
        for (int i = 0; i < 10 || System.nanoTime() < warm; i++) job.call.run();
        engine.await();
        long one = System.nanoTime();
        for (int i = 0; i < 3; i++) job.call.run();
        engine.await();
        double each = (System.nanoTime() - one) * 1e-9 / 3;
        int calls = (int) Math.clamp(seconds / rounds / each, 1, 1 << 20);
        double[] figures = new double[rounds];
        for (int r = 0; r < rounds; r++) {
            long start = System.nanoTime();
            for (int i = 0; i < calls; i++) job.call.run();
            engine.await();
            figures[r] = t.units * calls / ((System.nanoTime() - start) * 1e-9);
        }
        Arrays.sort(figures);
        return new Row(t.name, t.unit, figures[rounds / 2], figures[0], figures[rounds - 1], first);
    }

    private void write(List<Row> rows) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Row r : rows)
            lines.add(String.format(
                    Locale.ROOT,
                    "  {\"name\": \"%s\", \"unit\": \"%s\", \"best\": %.6g, \"spread\": [%.6g, %.6g], \"first_s\":"
                            + " %.3f}",
                    r.name,
                    r.unit,
                    r.median,
                    r.least,
                    r.most,
                    r.firstSeconds));
        Files.writeString(json, "{\"rows\": [\n" + String.join(",\n", lines) + "\n]}\n");
    }
}
