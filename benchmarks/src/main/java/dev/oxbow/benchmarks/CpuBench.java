package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
            "  ./oxbow bench cpu --build ../older --systems oxbow  this build beside that of another checkout",
            "  ./oxbow bench cpu --graphs exported --rounds 9      graphs that TensorFlow made, beside TensorFlow"
        })
final class CpuBench implements Callable<Integer> {
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

    @Option(
            names = "--graphs",
            paramLabel = "DIR",
            description = {
                "Instead of the workloads (or beside those of --only): every folder of DIR with a training graph that",
                "TensorFlow exported, in Oxbow and in TensorFlow Java. It holds graph.pb, init.txt with the name of the",
                "initialiser, and an array for each placeholder, x.npy for x; a step fetches loss:0 and runs train."
            })
    private Path graphs;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the rows to a file as JSON.")
    private Path json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this.")
    private boolean help;

    private final Path work = Python.root().resolve(".oxbow");
    private final List<Row> rows = new ArrayList<>();
    private List<Contestant> contestants;
    private Path folder;
    private double gemm;
    private Contest contest;

    @Override
    public Integer call() throws Exception {
        contestants = chosen();
        Main.checkPositive(spec, "--threads", threads);
        Main.checkPositive(spec, "--seconds", seconds);
        rounds.check();
        Main.checkWritable(spec, json);
        List<String> wanted = wanted();
        List<GraphTask> given = graphs == null ? List.of() : given();
        Files.createDirectories(work.resolve("cache"));
        if (contestants.stream().anyMatch(Contestant::isPython)) Python.install(work);
        rounds.prepare();
        contestants.removeIf(Contestant::isOxbow);
        contestants.addAll(0, rounds.builds().stream().map(Contestant::oxbow).toList());
        folder = Files.createTempDirectory("oxbow-bench");
        contest = new Contest(rounds, warm, seconds, folder, work);
        Thread cleaning = new Thread(this::clean);
        Runtime.getRuntime().addShutdownHook(cleaning);
        Workload.MLP.write(folder);
        for (Build b : rounds.builds()) {
            Contest.progress("making an archive of the classes of " + b.name());
            try {
                StartArchive.make(b, folder);
            } catch (ChildProcess.Failure e) {
                System.err.println(b.name() + " starts without an archive of its classes: " + e.getMessage());
            }
        }
        for (Workload w : Workload.values()) if (!w.isOwn() && wanted.contains(w.key())) group(w);
        for (GraphTask g : given) graph(g);
        contest.close();
        if (wanted.contains("startup")) startup();
        if (wanted.contains("memory")) for (Workload w : WATCHED) memory(w);
        Contest.progress("");
        Report.table(System.out, rows, contestants.stream().map(Contestant::key).toList(), rounds.other());
        for (GraphTask g : given) pairs(g);
        if (json != null) Files.writeString(json, Report.json(rows, rounds.other()));
        return rounds.conclude() && !contest.hasFailed() ? 0 : 1;
    }

    private List<Contestant> chosen() {
        List<Contestant> all = new ArrayList<>();
        if (systems == null) {
            for (Contestant c : Contestant.ALL)
                if (graphs == null ? python || !c.isPython() : c.readsGraphs()) all.add(c);
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
        if (only == null) return graphs == null ? known : List.of();
        for (String s : only)
            if (!known.contains(s))
                throw new ParameterException(spec.commandLine(), "no workload " + s + "; there are " + known);
        TreeSet<String> all = new TreeSet<>(only);
        if (only.stream().anyMatch(s -> Workload.of(s).map(Workload::flops).orElse(0.0) > 0))
            all.add(Workload.MATMUL_2048.key());
        return List.copyOf(all);
    }

    private void group(Workload w) throws IOException, InterruptedException {
        Contest.progress("writing data for " + w.title());
        w.write(folder);
        Bandwidth bandwidth = w == Workload.RELU ? Bandwidth.make(work, threads) : null;
        List<Double> limits = new ArrayList<>();
        Contest.Beginning begins = () -> {
            if (bandwidth != null) limits.add(bandwidth.measure());
        };
        contest.run(entries(w), begins, (e, rate) -> {
            if (w == Workload.MATMUL_2048 && e.threads() == threads) gemm = Math.max(gemm, w.figure(rate));
        });
        if (!limits.isEmpty())
            limits.stream().sorted().skip(limits.size() / 2).findFirst().ifPresent(rows.getLast()::limit);
        if (w == Workload.RELU) Contest.progress("limit of relu(a*b+c): " + bandwidth.name());
        derive(w);
        delete(folder.resolve(w.data()));
    }

    private List<GraphTask> given() throws IOException {
        List<GraphTask> all = Files.isDirectory(graphs) ? GraphTask.in(graphs) : List.of();
        if (all.isEmpty())
            throw new ParameterException(
                    spec.commandLine(), "--graphs: " + graphs + " has no folder with a " + GraphTask.GRAPH);
        return all;
    }

    private void graph(GraphTask g) throws IOException, InterruptedException {
        g.write(folder);
        Row row = row(g.title(), g);
        List<Contest.Entry> entries = contestants.stream()
                .map(c -> new Contest.Entry(c, c.key(), threads, g, row, c.key()))
                .toList();
        contest.run(entries, () -> {}, (_, _) -> {});
        delete(folder.resolve(g.key()));
    }

    /** Prints our rate at a graph over those of its peers, round by round. */
    private void pairs(GraphTask g) {
        for (Row row : rows) {
            if (!row.name().equals(g.title())) continue;
            for (String peer : row.peers().keySet())
                row.pairs(peer)
                        .ifPresent(p -> System.out.println(
                                g.title() + " to " + peer + ", paired: " + p.ratio() + ", quartiles " + p.quartiles()));
        }
    }

    /**
     * Oxbow with the other forms of the workload and on one thread, then the peers; rows are made in the same order. Builds
     * of Oxbow are next to each other in each row.
     */
    private List<Contest.Entry> entries(Workload w) {
        List<Contest.Entry> entries = new ArrayList<>();
        List<Contestant> builds =
                contestants.stream().filter(Contestant::isOxbow).toList();
        Row row = row(w.title(), w);
        for (Contestant c : builds) entries.add(new Contest.Entry(c, c.key(), threads, w, row, c.key()));
        for (Workload form : Workload.values()) {
            if (!form.isOwn() || form.plain() != w) continue;
            Row own = row(form.title(), form);
            for (Contestant c : builds) entries.add(new Contest.Entry(c, c.key(), threads, form, own, c.key()));
        }
        if (SCALED.contains(w) && threads > 1) {
            Row alone = row(w.title() + ALONE, w);
            for (Contestant c : builds) entries.add(new Contest.Entry(c, c.key() + ALONE, 1, w, alone, c.key()));
        }
        for (Contestant c : contestants)
            if (!c.isOxbow()) entries.add(new Contest.Entry(c, c.key(), threads, w, row, c.key()));
        return entries;
    }

    private Row row(String name, Task w) {
        Row row = new Row(name, w.unit(), w.isLowerBetter());
        rows.add(row);
        return row;
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

    /** From the start of a process to the end of its first training step. */
    private void startup() throws IOException {
        Row row = new Row("start to first mlp step", "s", true);
        rows.add(row);
        Workload.MLP.write(folder);
        List<Contestant> left = new ArrayList<>(contestants);
        for (int round = 0; contest.goOn(round, List.of(row)); round++) {
            boolean counts = round > 0;
            String title = counts ? "round " + round : "unpacking natives";
            fresh(row, round, left, title, (c, child) -> {
                long start = child.startedNanos();
                child.ask(Contest.PREPARE_SECONDS, "first " + Workload.MLP.key());
                if (counts) row.add(c.key(), (System.nanoTime() - start) / 1e9);
            });
        }
        contest.compared(List.of(row));
    }

    private void memory(Workload w) throws IOException {
        Row row = new Row("memory " + w.title(), "MB", true);
        rows.add(row);
        w.write(folder);
        w.writeSmall(folder);
        List<Contestant> left = new ArrayList<>(contestants);
        for (int round = 1;
                contest.goOn(round, List.of(row))
                        && (round <= 3 || rounds.other().isPresent());
                round++) {
            String title = "round " + round;
            fresh(row, round, left, title, (c, child) -> {
                String[] words = child.ask(Contest.PREPARE_SECONDS, "memory " + w.key());
                row.add(c.key(), Double.parseDouble(words[0]) / 1e6);
            });
        }
        contest.compared(List.of(row));
    }

    private interface Use {
        void of(Contestant contestant, ChildProcess child) throws ChildProcess.Failure, ChildProcess.Absent;
    }

    /** One round in which each has a new process; who fails is left out from then on. */
    private void fresh(Row row, int round, List<Contestant> left, String title, Use use) {
        for (Contestant c : Rounds.inTurn(round, left)) {
            Contest.progress(title + ": " + row.name() + ", " + c.key());
            boolean measured = contest.attempt(row, c.key(), () -> {
                try (ChildProcess child = c.start(threads, folder, work)) {
                    use.of(c, child);
                } catch (IOException e) {
                    throw new ChildProcess.Failure(e.getMessage());
                }
            });
            if (!measured) left.remove(c);
        }
    }

    private void clean() {
        if (contest != null) contest.close();
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
