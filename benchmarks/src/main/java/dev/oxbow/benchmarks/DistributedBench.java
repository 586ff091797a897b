package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench distributed}: data-parallel training beside PyTorch's; exits 1 when a system failed. */
@Command(
        name = "distributed",
        sortOptions = false,
        description = {
            "Times training of the perceptron 784-512-256-10 with batches of 128 by one worker and by several, each a",
            "process with one thread: Oxbow with collective ops, and PyTorch alone and with DistributedDataParallel",
            "over Gloo. All systems start alike, their losses must agree, and rounds go through all of them in turn.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  ./oxbow bench distributed --workers 2",
            "  ./oxbow bench distributed --workers 2 --transport tcp --rounds 9 --json distributed.json"
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
            names = "--transport",
            defaultValue = "auto",
            paramLabel = "KIND",
            description = "How ours talk: auto (shared memory), tcp or shm; ${DEFAULT-VALUE}.")
    private String transport;

    @Option(names = "--rounds", defaultValue = "5", paramLabel = "N", description = "Rounds, ${DEFAULT-VALUE}.")
    private int rounds;

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

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (workers < 2)
            throw new ParameterException(spec.commandLine(), "--workers must be at least 2, got " + workers);
        Main.checkTransport(spec, transport);
        Main.checkPositive(spec, "--rounds", rounds);
        Main.checkPositive(spec, "--seconds", seconds);
        Main.checkPositive(spec, "--warm", warm);
        Main.checkWritable(spec, json);
        Files.createDirectories(work);
        Path folder = Files.createTempDirectory("oxbow-distributed");
        try {
            Workload.MLP.write(folder);
            Team.checkGloo(work);
            teams.add(DistributedTeam.oxbow(1, transport, folder, work));
            teams.add(DistributedTeam.oxbow(workers, transport, folder, work));
            teams.add(DistributedTeam.torch(1, folder, work));
            teams.add(DistributedTeam.torch(workers, folder, work));
            return measure() ? 0 : 1;
        } finally {
            teams.forEach(DistributedTeam::close);
            delete(folder);
        }
    }

    private boolean measure() throws IOException {
        try {
            double[] wanted = null;
            int[] steps = new int[teams.size()];
            for (int i = 0; i < steps.length; i++) {
                DistributedTeam t = teams.get(i);
                System.err.println("warming up " + t.name());
                double[] losses = t.losses();
                if (wanted == null) wanted = losses;
                compare(t, wanted, losses);
                double rate = t.run(FEW_STEPS);
                for (long end = System.nanoTime() + (long) (warm * 1e9); System.nanoTime() < end; )
                    rate = t.run(steps(rate));
                steps[i] = steps(rate);
            }
            for (int round = 1; round <= rounds; round++) {
                System.err.println("round " + round + " of " + rounds);
                for (int i = 0; i < steps.length; i++)
                    teams.get(i).add(teams.get(i).run(steps[i]));
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

    /** How many times the rate of another system. */
    private double ratio(DistributedTeam t, int other) {
        return t.median() / teams.get(other).median();
    }

    private void print() {
        System.out.printf("%-24s %10s %14s %14s%n", "", "steps/s", "x oxbow alone", "x torch-ddp");
        for (DistributedTeam t : teams)
            System.out.printf(
                    Locale.ROOT, "%-24s %10.1f %14.2f %14.2f%n", t.name(), t.median(), ratio(t, 0), ratio(t, 3));
    }

    private String json() {
        List<String> rows = new ArrayList<>();
        for (DistributedTeam t : teams)
            rows.add(String.format(
                    Locale.ROOT,
                    "{\"system\": \"%s\", \"workers\": %d, \"threads\": 1, \"batch\": 128, \"steps_per_s\": %.2f,"
                            + " \"ratio_alone\": %.4f, \"ratio_ddp\": %.4f}",
                    t.system(),
                    t.workers(),
                    t.median(),
                    ratio(t, 0),
                    ratio(t, 3)));
        return "[\n  " + String.join(",\n  ", rows) + "\n]\n";
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path f : files.sorted(java.util.Comparator.reverseOrder()).toList()) Files.delete(f);
        }
    }
}
