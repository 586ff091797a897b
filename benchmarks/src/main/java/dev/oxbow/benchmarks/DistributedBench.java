package dev.oxbow.benchmarks;

import dev.oxbow.parallel.planner.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench distributed}: data-parallel training beside PyTorch's; exits 1 when a system failed. */
@Command(
        name = "distributed",
        sortOptions = false,
        description = {
            "Times training of a perceptron by one worker and by several, each a process with one thread: Oxbow by a"
                    + " plan,",
            "and PyTorch alone and with DistributedDataParallel over Gloo. All systems start alike, their losses must",
            "agree, and rounds go through all, back and forth. A step is predicted from that of one worker and the"
                    + " time",
            "of an all-reduce of the gradients, without overlap.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  ./oxbow bench distributed --workers 2",
            "  ./oxbow bench distributed --workers 2 --transport tcp --rounds 9 --json distributed.json",
            "  ./oxbow bench distributed --model mlp-large --weak --workers 4 --against none",
            "  ./oxbow bench distributed --build ../older        this build beside that of another checkout"
        })
final class DistributedBench implements Callable<Integer> {
    private static final double TOLERANCE = 1e-3;
    private static final int FEW_STEPS = 20;
    private static final int MOST_STEPS = 100_000;

    @Spec
    private picocli.CommandLine.Model.CommandSpec spec;

    @Option(names = "--workers", defaultValue = "2", paramLabel = "N", description = "Workers, ${DEFAULT-VALUE}.")
    private int workers;

    @Option(
            names = "--model",
            defaultValue = "mlp",
            paramLabel = "NAME",
            description = "mlp (784-512-256-10), mlp-large (784-2048-2048-10), or a network with waits for compute:"
                    + " alexnet, inception3, resnet50, vgg16; ${DEFAULT-VALUE}.")
    private String modelName;

    @Mixin
    private NetworkBench networks;

    @Option(
            names = "--plan",
            defaultValue = "ring",
            paramLabel = "PLAN",
            description = "ring, of processes, or replicas, devices of one process; ${DEFAULT-VALUE}.")
    private String plan;

    @Option(names = "--weak", description = "Each worker has a batch of 128.")
    private boolean weak;

    @Option(names = "--strong", description = "All workers share a batch of 128; as without either.")
    private boolean strong;

    @Option(
            names = "--against",
            defaultValue = "ddp",
            paramLabel = "LIST",
            description = "Peers: ddp, or none; ${DEFAULT-VALUE}.")
    private String against;

    @Option(
            names = "--transport",
            defaultValue = "auto",
            paramLabel = "KIND",
            description = "How ours talk: auto (shared memory), tcp or shm; ${DEFAULT-VALUE}.")
    private String transport;

    @Mixin
    private Rounds rounds;

    @Option(
            names = "--seconds",
            defaultValue = "2",
            paramLabel = "S",
            description = "Seconds of each measurement, ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(
            names = "--warm",
            defaultValue = "30",
            paramLabel = "S",
            description = "Seconds of warming up each system, ${DEFAULT-VALUE}: with a core for each worker, compiling"
                    + " takes time from training for long.")
    private double warm;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the rows to a file as JSON.")
    private Path json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this.")
    private boolean help;

    private final Path work = Python.root().resolve(".oxbow");
    private final List<DistributedTeam> teams = new ArrayList<>();
    private final Map<DistributedTeam, double[]> costs = new HashMap<>();
    private Perceptron model;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (workers < 2)
            throw new ParameterException(spec.commandLine(), "--workers must be at least 2, got " + workers);
        if (Network.names().contains(modelName)) {
            Main.checkWritable(spec, json);
            Files.createDirectories(work);
            return networks.run(Network.named(modelName), workers, transport, work, json);
        }
        model = Perceptron.of(modelName)
                .orElseThrow(() -> wrong(
                        "no model %s; there are %s and %s".formatted(modelName, Perceptron.keys(), Network.names())));
        if (!List.of("ring", "replicas").contains(plan)) throw wrong("no plan " + plan + "; there are ring, replicas");
        if (!List.of("ddp", "none").contains(against)) throw wrong("no peer " + against + "; there are ddp, none");
        if (weak && strong) throw wrong("--weak and --strong exclude each other");
        Main.checkTransport(spec, transport);
        rounds.check();
        Main.checkPositive(spec, "--seconds", seconds);
        Main.checkPositive(spec, "--warm", warm);
        Main.checkWritable(spec, json);
        Files.createDirectories(work);
        rounds.prepare();
        Path folder = Files.createTempDirectory("oxbow-distributed");
        try {
            for (int n : new int[] {1, workers}) {
                model.write(data(folder, n), batch(n));
                for (Build b : rounds.builds())
                    teams.add(DistributedTeam.oxbow(b, n, plan, transport, data(folder, n), work));
            }
            if (against.equals("ddp")) addTorch(folder);
            return measure() && rounds.conclude() ? 0 : 1;
        } finally {
            teams.forEach(DistributedTeam::close);
            delete(folder);
        }
    }

    private ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }

    /** Rows that so many workers have together. */
    private int batch(int n) {
        return weak ? n * Perceptron.BATCH : Perceptron.BATCH;
    }

    private static Path data(Path folder, int n) {
        return folder.resolve("workers-" + n);
    }

    /** Leaves PyTorch out where it is not installed, and says what to do about it. */
    private void addTorch(Path folder) throws IOException, InterruptedException {
        try {
            Team.checkGloo(work);
        } catch (IOException e) {
            System.out.println("torch is left out: " + e.getMessage());
            return;
        }
        teams.add(DistributedTeam.torch(1, data(folder, 1), work));
        teams.add(DistributedTeam.torch(workers, data(folder, workers), work));
    }

    private boolean measure() throws IOException {
        try {
            Map<Integer, double[]> wanted = new HashMap<>(); // by the rows of a batch
            int[] steps = new int[teams.size()];
            for (int i = 0; i < steps.length; i++) {
                DistributedTeam t = teams.get(i);
                System.err.println("warming up " + t.name());
                double[] losses = t.losses();
                wanted.putIfAbsent(batch(t.workers()), losses);
                compare(t, wanted.get(batch(t.workers())), losses);
                if (t.system().equals("oxbow")) costs.put(t, t.costs());
                double rate = t.run(FEW_STEPS);
                for (long end = System.nanoTime() + (long) (warm * 1e9); System.nanoTime() < end; )
                    rate = t.run(steps(rate));
                steps[i] = steps(rate);
            }
            for (int round = 1; rounds.goOn(round - 1, teams.stream().map(this::pairs)); round++) {
                System.err.println("round " + round);
                for (DistributedTeam t : Rounds.inTurn(round, teams)) t.add(t.run(steps[teams.indexOf(t)]));
            }
        } catch (ChildProcess.Failure e) {
            System.err.println("bench distributed: " + e.getMessage() + "; logs are in " + work);
            return false;
        }
        print();
        if (json != null) Files.writeString(json, json());
        return true;
    }

    private int steps(double rate) {
        return (int) Math.clamp(rate * seconds, FEW_STEPS, MOST_STEPS);
    }

    private static void compare(DistributedTeam t, double[] wanted, double[] got) throws ChildProcess.Failure {
        for (int i = 0; i < got.length; i++)
            if (!(Math.abs(got[i] - wanted[i]) <= TOLERANCE * Math.abs(wanted[i])))
                throw new ChildProcess.Failure(
                        "%s: loss %d is %s, but Oxbow's alone is %s".formatted(t.name(), i, got[i], wanted[i]));
    }

    private Optional<DistributedTeam> team(String system, int size) {
        return teams.stream()
                .filter(t -> t.system().equals(system) && t.workers() == size)
                .findFirst();
    }

    /** How many times the rate of another system; null where that is not there. */
    private Double ratio(DistributedTeam t, String system, int size) {
        return team(system, size).map(other -> t.median() / other.median()).orElse(null);
    }

    /** This build's team beside the other's of as many workers; empty for all other teams and before the first round. */
    private Optional<Pairs> pairs(DistributedTeam t) {
        if (!t.system().equals("oxbow") || t.rates().length == 0) return Optional.empty();
        return rounds.other()
                .flatMap(o -> team(o, t.workers()))
                .map(o -> Pairs.of(o.system(), t.rates(), o.rates(), false));
    }

    /** Steps in a second by the time of one worker's and that of an all-reduce; null where nothing is known. */
    private Double predicted(DistributedTeam t) {
        Optional<DistributedTeam> alone = team(t.system(), 1);
        if (!costs.containsKey(t) || alone.isEmpty()) return null;
        double compute = 1 / alone.get().median() / (weak ? 1 : t.workers());
        return 1 / (compute + (t.workers() == 1 ? 0 : costs.get(t)[1]));
    }

    private void print() {
        System.out.println("%s, plan %s, %s scaling, %.2f MB of gradients"
                .formatted(model.title(), plan, weak ? "weak" : "strong", 4e-6 * model.parameters()));
        String line = "%-24s %10s %14s %14s %12s %14s %s";
        String beside = rounds.other().map(o -> " beside " + o).orElse("");
        System.out.println(
                line.formatted("", "steps/s", "x oxbow alone", "x torch-ddp", "predicted", "sent MB/step", beside)
                        .stripTrailing());
        for (DistributedTeam t : teams) {
            Optional<Pairs> pairs = pairs(t);
            if (t.system().equals("oxbow")) rounds.compared(t.name(), pairs);
            System.out.println(line.formatted(
                            t.name(),
                            String.format(Locale.ROOT, "%.1f", t.median()),
                            times(ratio(t, "oxbow", 1)),
                            times(ratio(t, "torch-ddp", workers)),
                            predicted(t) == null ? "-" : String.format(Locale.ROOT, "%.1f", predicted(t)),
                            costs.containsKey(t) ? String.format(Locale.ROOT, "%.3f", 1e-6 * costs.get(t)[0]) : "-",
                            pairs.map(p -> " " + p.ratio() + " (" + p.quartiles() + ")")
                                    .orElse(""))
                    .stripTrailing());
        }
    }

    private static String times(Double ratio) {
        return ratio == null ? "-" : String.format(Locale.ROOT, "%.2f", ratio);
    }

    private String json() {
        List<String> rows = new ArrayList<>();
        for (DistributedTeam t : teams)
            rows.add(String.format(
                    Locale.ROOT,
                    "{\"system\": \"%s\", \"plan\": \"%s\", \"model\": \"%s\", \"workers\": %d, \"threads\": 1,"
                            + " \"batch\": %d, \"steps_per_s\": %.2f, \"predicted_steps_per_s\": %s, \"bytes_per_step\":"
                            + " %s, \"ratio_alone\": %s, \"ratio_ddp\": %s, \"build\": %s}",
                    t.system(),
                    t.system().startsWith("torch") ? "ddp" : t.workers() == 1 ? "local" : plan,
                    model.key(),
                    t.workers(),
                    batch(t.workers()),
                    t.median(),
                    Report.value(predicted(t)),
                    costs.containsKey(t) ? Long.toString((long) costs.get(t)[0]) : "null",
                    Report.value(ratio(t, "oxbow", 1)),
                    Report.value(ratio(t, "torch-ddp", workers)),
                    pairs(t).map(Pairs::json).orElse("null")));
        return "[\n  " + String.join(",\n  ", rows) + "\n]\n";
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path f : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(f);
        }
    }
}
