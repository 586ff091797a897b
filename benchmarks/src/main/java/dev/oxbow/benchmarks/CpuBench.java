package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench cpu}: Oxbow and its peers in one interleaved run; exits 1 when Oxbow itself failed somewhere. */
@Command(
        name = "cpu",
        sortOptions = false,
        description = {
            "Times Oxbow beside TensorFlow Java (with and without oneDNN) and PyTorch through DJL, and with --python",
            "also JAX, PyTorch and TensorFlow (with and without XLA) from PyPI.",
            "",
            "Each system is a process of its own; one runs at a time and rounds go through all, back and forth.",
            "All get the same start values and data. Losses of the first steps (or sums over results) must agree with",
            "Oxbow's within 0.1 %%, and changes of the loss within 2 %%, or the system is not timed.",
            "'of limit' is our share of the best sgemm rate that any system reached at 2048 in this run, for work that",
            "consists of matrix products, and of a fused loop in C for relu(a*b+c).",
            "Memory is how far the resident size of the process rises, while 30 steps run, above what it was with",
            "parameters and data in place: intermediate values, gradients, scratch memory, what is compiled for these",
            "shapes, growth of the heap. Code has been loaded by a smaller model of the same form before; garbage has",
            "been collected and free memory given back. JVMs have a young generation of fixed size, full by then.",
            "Start-up is from the start of the process to the end of its first step. Oxbow is started as ./oxbow starts it,",
            "with an archive of its classes that was made before; peers are started as their own documentation says.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  ./oxbow bench cpu                                   everything but Python, about ten minutes",
            "  ./oxbow bench cpu --python --json cpu.json          with the Python systems, and a file for programs",
            "  ./oxbow bench cpu --only mlp,cnn --rounds 3         two workloads",
            "  ./oxbow bench cpu --only lstm --systems oxbow,djl   one workload, one peer",
            "  ./oxbow bench cpu --build ../older --systems oxbow  this build beside that of another checkout"
        })
final class CpuBench implements Callable<Integer> {
    private static final double PREPARE_SECONDS = 240;
    private static final double SPARE_SECONDS = 120;
    private static final double MOST_WARM = 5;
    private static final double TOLERANCE = 1e-3;
    private static final double CHANGE_TOLERANCE = 2e-2;
    private static final String ALONE = ", 1 thread";
    private static final List<Workload> SCALED = List.of(Workload.MLP, Workload.CNN, Workload.TRANSFORMER);
    private static final List<Workload> WATCHED = SCALED;

    @Spec
    private picocli.CommandLine.Model.CommandSpec spec;

    @Mixin
    private Rounds rounds;

    @Option(
            names = "--seconds",
            defaultValue = "1",
            paramLabel = "S",
            description = "Seconds of each measurement, ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(
            names = "--warm",
            defaultValue = "3",
            paramLabel = "S",
            description =
                    "Least seconds of warming up, ${DEFAULT-VALUE}; up to five times that until a rate is steady.")
    private double warm;

    @Option(names = "--threads", defaultValue = "2", paramLabel = "N", description = "Threads, ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "NAME",
            description = "Workloads: matmul-512, matmul-1024, matmul-2048, mlp, cnn, transformer, lstm (each with its"
                    + " other forms), embedding, tiny-add, tiny-matmul, relu, xent, startup, memory.")
    private List<String> only;

    @Option(
            names = "--systems",
            split = ",",
            paramLabel = "NAME",
            description = "Systems: oxbow, tf-java, tf-java-onednn, djl, jax, torch, tf, tf-xla.")
    private List<String> systems;

    @Option(
            names = "--python",
            description = "Also run the Python systems, in an environment made by pip on first use.")
    private boolean python;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the rows to a file as JSON.")
    private Path json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this.")
    private boolean help;

    private final Path work = Python.root().resolve(".oxbow");
    private final Map<String, ChildProcess> running = new LinkedHashMap<>();
    private final List<Row> rows = new ArrayList<>();
    private List<Contestant> contestants;
    private Path folder;
    private double gemm;
    private boolean failed;

    /** One system on one workload within a group that is timed together. */
    private record Entry(Contestant contestant, String label, int threads, Workload workload, Row row, String column) {}

    @Override
    public Integer call() throws Exception {
        contestants = chosen();
        Main.checkPositive(spec, "--threads", threads);
        Main.checkPositive(spec, "--seconds", seconds);
        rounds.check();
        Main.checkWritable(spec, json);
        List<String> wanted = wanted();
        Files.createDirectories(work.resolve("cache"));
        if (contestants.stream().anyMatch(Contestant::isPython)) Python.install(work);
        rounds.prepare();
        contestants.removeIf(Contestant::isOxbow);
        contestants.addAll(0, rounds.builds().stream().map(Contestant::oxbow).toList());
        folder = Files.createTempDirectory("oxbow-bench");
        Thread cleaning = new Thread(this::clean);
        Runtime.getRuntime().addShutdownHook(cleaning);
        Workload.MLP.write(folder);
        for (Build b : rounds.builds()) {
            progress("making an archive of the classes of " + b.name());
            try {
                StartArchive.make(b, folder);
            } catch (ChildProcess.Failure e) {
                System.err.println(b.name() + " starts without an archive of its classes: " + e.getMessage());
            }
        }
        for (Workload w : Workload.values()) if (!w.isOwn() && wanted.contains(w.key())) group(w);
        running.values().forEach(ChildProcess::close);
        running.clear();
        if (wanted.contains("startup")) startup();
        if (wanted.contains("memory")) for (Workload w : WATCHED) memory(w);
        progress("");
        Report.table(System.out, rows, contestants.stream().map(Contestant::key).toList(), rounds.other());
        if (json != null) Files.writeString(json, Report.json(rows, rounds.other()));
        return rounds.conclude() && !failed ? 0 : 1;
    }

    private List<Contestant> chosen() {
        List<Contestant> all = new ArrayList<>();
        if (systems == null) {
            for (Contestant c : Contestant.ALL) if (python || !c.isPython()) all.add(c);
            return all;
        }
        for (String s : systems)
            all.add(Contestant.of(s)
                    .orElseThrow(() -> new ParameterException(
                            spec.commandLine(), "no system " + s + "; there are " + Contestant.keys())));
        all.sort(Comparator.comparing(Contestant.ALL::indexOf));
        return all;
    }

    /** What is to be measured; the rate of matrix products is, wherever it is a limit. */
    private List<String> wanted() {
        List<String> known = new ArrayList<>();
        for (Workload w : Workload.values()) if (!w.isOwn()) known.add(w.key());
        known.addAll(List.of("startup", "memory"));
        if (only == null) return known;
        for (String s : only)
            if (!known.contains(s))
                throw new ParameterException(spec.commandLine(), "no workload " + s + "; there are " + known);
        TreeSet<String> all = new TreeSet<>(only);
        if (only.stream().anyMatch(s -> Workload.of(s).map(Workload::flops).orElse(0.0) > 0))
            all.add(Workload.MATMUL_2048.key());
        return List.copyOf(all);
    }

    // ---- rates

    private void group(Workload w) throws IOException, InterruptedException {
        progress("writing data for " + w.title());
        w.write(folder);
        List<Entry> entries = entries(w);
        Map<String, double[]> checks = new LinkedHashMap<>();
        entries.removeIf(e -> !ready(e, checks));
        entries.removeIf(e -> !attempt(e, () -> {
            progress("warming up " + e.row.name() + ", " + e.label);
            ask(e, MOST_WARM * warm + SPARE_SECONDS, "warm", warm + " " + MOST_WARM * warm);
        }));
        Bandwidth bandwidth = w == Workload.RELU ? Bandwidth.make(work, threads) : null;
        List<Double> limits = new ArrayList<>();
        List<Row> timed = entries.stream().map(Entry::row).distinct().toList();
        for (int round = 1; goOn(round, timed); round++) {
            if (bandwidth != null) limits.add(bandwidth.measure());
            int number = round;
            for (Entry e : Rounds.inTurn(round, entries)) {
                boolean measured = attempt(e, () -> {
                    progress("round " + number + ": " + e.row.name() + ", " + e.label);
                    double rate = Double.parseDouble(ask(e, seconds + SPARE_SECONDS, "run", "" + seconds)[0]);
                    e.row.add(e.column, e.workload.figure(rate));
                    if (w == Workload.MATMUL_2048 && e.threads == threads) gemm = Math.max(gemm, w.figure(rate));
                });
                if (!measured) entries.remove(e);
            }
        }
        entries.forEach(e -> attempt(e, () -> ask(e, SPARE_SECONDS, "release", "")));
        if (!limits.isEmpty())
            limits.stream().sorted().skip(limits.size() / 2).findFirst().ifPresent(rows.getLast()::limit);
        compared(timed);
        if (w == Workload.RELU) progress("limit of relu(a*b+c): " + bandwidth.name());
        derive(w);
        delete(folder.resolve(w.data()));
    }

    /**
     * Oxbow with the other forms of the workload and on one thread, then the peers; rows are made in the same order. Builds
     * of Oxbow are next to each other in each row.
     */
    private List<Entry> entries(Workload w) {
        List<Entry> entries = new ArrayList<>();
        List<Contestant> builds =
                contestants.stream().filter(Contestant::isOxbow).toList();
        Row row = row(w.title(), w);
        for (Contestant c : builds) entries.add(new Entry(c, c.key(), threads, w, row, c.key()));
        for (Workload form : Workload.values()) {
            if (!form.isOwn() || form.plain() != w) continue;
            Row own = row(form.title(), form);
            for (Contestant c : builds) entries.add(new Entry(c, c.key(), threads, form, own, c.key()));
        }
        if (SCALED.contains(w) && threads > 1) {
            Row alone = row(w.title() + ALONE, w);
            for (Contestant c : builds) entries.add(new Entry(c, c.key() + ALONE, 1, w, alone, c.key()));
        }
        for (Contestant c : contestants) if (!c.isOxbow()) entries.add(new Entry(c, c.key(), threads, w, row, c.key()));
        return entries;
    }

    private Row row(String name, Workload w) {
        Row row = new Row(name, w.unit(), w.isLowerBetter());
        rows.add(row);
        return row;
    }

    /** Builds the workload and compares its first results with Oxbow's. */
    private boolean ready(Entry e, Map<String, double[]> checks) {
        return attempt(e, () -> {
            progress("preparing " + e.row.name() + ", " + e.label);
            String[] words = ask(e, PREPARE_SECONDS, "prepare", "");
            double[] numbers = new double[words.length];
            for (int i = 0; i < numbers.length; i++) numbers[i] = Double.parseDouble(words[i]);
            double[] wanted = checks.putIfAbsent("oxbow", numbers);
            if (wanted != null) compare(wanted, numbers, e.workload);
        });
    }

    /** Numbers of different counts are of different forms of training, which must agree at their end. */
    private static void compare(double[] wanted, double[] got, Workload w) throws ChildProcess.Failure {
        boolean same = wanted.length == got.length, trains = w.isTraining();
        for (int i = same ? 0 : got.length - 1; i < got.length; i++) {
            double want = same ? wanted[i] : wanted[wanted.length - 1];
            boolean close = Math.abs(got[i] - want) <= TOLERANCE * Math.abs(want);
            if (close && trains && same && i > 0) {
                double change = wanted[i] - wanted[0];
                close = Math.abs(got[i] - got[0] - change)
                        <= CHANGE_TOLERANCE * Math.abs(change) + 1e-6 * Math.abs(want);
            }
            if (!close)
                throw new ChildProcess.Failure(String.format(
                        Locale.ROOT, "number %d to compare is %.7g, Oxbow's is %.7g", i + 1, got[i], want));
        }
    }

    /** Adds limits, and rows that compare Oxbow with itself. */
    private void derive(Workload w) {
        if (w.flops() > 0 && gemm > 0)
            for (Row r : rows)
                Stream.of(Workload.values())
                        .filter(x -> x.plain() == w && x.title().equals(r.name()))
                        .forEach(x -> r.limit(x.figure(gemm * 1e9 / x.flops())));
        compare(w.title(), w.title() + ALONE, w.title() + ", " + threads + " threads to 1");
        for (Workload form : Workload.values())
            if (form.isOwn() && form.plain() == w) compare(form.title(), w.title(), form.title() + " to plain");
    }

    private void compare(String one, String other, String name) {
        Double a = figure(one), b = figure(other);
        if (a == null || b == null) return;
        Row row = new Row(name, "x", false);
        row.add("oxbow", a / b);
        rows.add(row);
    }

    private Double figure(String name) {
        return rows.stream()
                .filter(r -> r.name().equals(name))
                .findFirst()
                .map(r -> r.median("oxbow"))
                .orElse(null);
    }

    // ---- pairs with another build

    private boolean goOn(int round, List<Row> timed) {
        return rounds.goOn(round - 1, timed.stream().map(this::pairs));
    }

    private void compared(List<Row> timed) {
        for (Row r : timed) rounds.compared(r.name(), pairs(r));
    }

    private Optional<Pairs> pairs(Row row) {
        return rounds.other().flatMap(row::pairs);
    }

    // ---- fresh processes

    /** From the start of a process to the end of its first training step. */
    private void startup() throws IOException {
        Row row = new Row("start to first mlp step", "s", true);
        rows.add(row);
        Workload.MLP.write(folder);
        List<Contestant> left = new ArrayList<>(contestants);
        for (int round = 0; goOn(round, List.of(row)); round++) {
            boolean counts = round > 0;
            String title = counts ? "round " + round : "unpacking natives";
            fresh(row, round, left, title, (c, child) -> {
                long start = child.startedNanos();
                child.ask(PREPARE_SECONDS, "first " + Workload.MLP.key());
                if (counts) row.add(c.key(), (System.nanoTime() - start) / 1e9);
            });
        }
        compared(List.of(row));
    }

    private void memory(Workload w) throws IOException {
        Row row = new Row("memory " + w.title(), "MB", true);
        rows.add(row);
        w.write(folder);
        w.writeSmall(folder);
        List<Contestant> left = new ArrayList<>(contestants);
        for (int round = 1;
                goOn(round, List.of(row)) && (round <= 3 || rounds.other().isPresent());
                round++) {
            String title = "round " + round;
            fresh(row, round, left, title, (c, child) -> {
                String[] words = child.ask(PREPARE_SECONDS, "memory " + w.key());
                row.add(c.key(), Double.parseDouble(words[0]) / 1e6);
            });
        }
        compared(List.of(row));
    }

    private interface Use {
        void of(Contestant contestant, ChildProcess child) throws ChildProcess.Failure, ChildProcess.Absent;
    }

    /** One round in which each has a new process; who fails is left out from then on. */
    private void fresh(Row row, int round, List<Contestant> left, String title, Use use) {
        for (Contestant c : Rounds.inTurn(round, left)) {
            progress(title + ": " + row.name() + ", " + c.key());
            boolean measured = attempt(row, c.key(), () -> {
                try (ChildProcess child = c.start(threads, folder, work)) {
                    use.of(c, child);
                } catch (IOException e) {
                    throw new ChildProcess.Failure(e.getMessage());
                }
            });
            if (!measured) left.remove(c);
        }
    }

    // ---- talking

    private interface Attempt {
        void run() throws ChildProcess.Failure, ChildProcess.Absent;
    }

    private boolean attempt(Entry e, Attempt what) {
        return attempt(e.row, e.column, what);
    }

    /** Whether it worked; else the row says why not. */
    private boolean attempt(Row row, String column, Attempt what) {
        try {
            what.run();
            return true;
        } catch (ChildProcess.Absent e) {
            row.fail(column, "absent: " + e.getMessage());
        } catch (ChildProcess.Failure e) {
            row.fail(column, "failed: " + e.getMessage());
            failed |= column.equals("oxbow");
        }
        return false;
    }

    private String[] ask(Entry e, double deadline, String command, String rest)
            throws ChildProcess.Failure, ChildProcess.Absent {
        String question = (command + " " + e.workload.key() + " " + rest).strip();
        ChildProcess child = running.get(e.label);
        if (child == null || !child.isAlive()) {
            if (!command.equals("prepare")) throw new ChildProcess.Failure("died before '" + question + "'");
            try {
                child = e.contestant.start(e.threads, folder, work);
            } catch (IOException x) {
                throw new ChildProcess.Failure("does not start: " + x.getMessage());
            }
            running.put(e.label, child);
        }
        return child.ask(deadline, question);
    }

    private static void progress(String what) {
        if (System.console() != null && System.console().isTerminal()) System.err.print("\r\033[K" + what);
        else if (!what.isEmpty() && !what.startsWith("round")) System.err.println(what);
    }

    private void clean() {
        running.values().forEach(ChildProcess::close);
        try {
            delete(folder);
        } catch (IOException e) {
            System.err.println("cannot delete " + folder + ": " + e.getMessage());
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) return;
        try (var files = Files.walk(folder)) {
            for (Path f : files.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(f);
        }
    }
}
