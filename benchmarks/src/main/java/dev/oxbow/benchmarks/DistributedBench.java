package dev.oxbow.benchmarks;

import dev.oxbow.parallel.planner.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench distributed}: data-parallel training beside that of other systems; exits 1 when a system failed. */
@Command(
        name = "distributed",
        sortOptions = false,
        description = {
            "Times training of a perceptron by one worker and by several, each with one thread: Oxbow by a plan, and other",
            "systems: PyTorch's DistributedDataParallel over Gloo (ddp), TensorFlow's MultiWorkerMirroredStrategy (tf) and",
            "parameter servers (tf-ps, tf-ps-async), PaddlePaddle's DataParallel (paddle). All start alike, their losses must agree, and rounds go through all,",
            "back and forth. A step is predicted from that of one worker and the time of an all-reduce of the gradients,",
            "without overlap; the overlap is the share of that time by which a step is shorter.",
            "Networks known by name have waits for compute and real gradients, on this machine or on namespace hosts.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  ./oxbow bench distributed --workers 2",
            "  ./oxbow bench distributed --workers 2 --transport tcp --rounds 9 --json distributed.json",
            "  ./oxbow bench distributed --model mlp-large --against ddp,tf,paddle --rounds 7",
            "  ./oxbow bench distributed --model mlp-large --plan ps --against tf-ps",
            "  ./oxbow bench distributed --model mlp-large --weak --workers 4 --against none",
            "  ./oxbow bench distributed --model vgg16 --netns 4 --rate 1gbit --wire int8",
            "  ./oxbow bench distributed --model resnet50 --netns 2,3,4,5,6 --rate 500mbit,250mbit,1gbit --calibrate",
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
            description =
                    "mlp (784-512-256-10), mlp-large (784-2048-2048-10), mlp-deep (82 small variables), or a network with waits for compute:"
                            + " alexnet, inception3, resnet50, vgg16; ${DEFAULT-VALUE}.")
    private String modelName;

    @Mixin
    private NetworkBench networks;

    @Option(
            names = "--plan",
            defaultValue = "ring",
            split = ",",
            paramLabel = "LIST",
            description =
                    "Of processes: ring, or owners, which reduces to one and hands on, or ps and ps-async, by a"
                            + " parameter server in one more process. Of devices of one process: replicas, replica-owners, or on-host; ${DEFAULT-VALUE}.")
    private List<String> plans;

    @Option(names = "--weak", description = "Each worker has a batch of 128.")
    private boolean weak;

    @Option(names = "--strong", description = "All workers share a batch of 128; as without either.")
    private boolean strong;

    @Option(
            names = "--against",
            defaultValue = "ddp",
            split = ",",
            paramLabel = "LIST",
            description = "Peers: any of ddp, tf, tf-ps, tf-ps-async, paddle, or none; ${DEFAULT-VALUE}.")
    private List<String> against;

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
    private final List<DistributedPeer> peers = new ArrayList<>();
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
        for (String p : plans)
            if (!DistributedRank.PLANS.contains(p))
                throw wrong("no plan " + p + "; there are " + DistributedRank.PLANS);
        for (String a : against)
            if (!a.equals("none") && DistributedPeer.of(a).isEmpty())
                throw wrong("no peer " + a + "; there are " + DistributedPeer.keys() + ", or none");
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
            add(1, DistributedTeam.LOCAL, folder);
            for (String p : plans) add(workers, p, folder);
            for (String a : against) DistributedPeer.of(a).ifPresent(p -> peers.add(p));
            addPeers(data(folder, workers));
            return measure() && rounds.conclude() ? 0 : 1;
        } finally {
            teams.forEach(DistributedTeam::close);
            delete(folder);
        }
    }

    /** Adds so many workers by a plan, of all builds. */
    private void add(int n, String plan, Path folder) throws IOException {
        if (!Files.exists(data(folder, n))) model.write(data(folder, n), batch(n));
        for (Build b : rounds.builds()) teams.add(DistributedTeam.oxbow(b, n, plan, transport, data(folder, n), work));
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

    /** Leaves peers out that are not installed, and says what to do about it. */
    private void addPeers(Path data) throws IOException, InterruptedException {
        for (DistributedPeer p : peers) {
            try {
                teams.add(DistributedTeam.peer(p, workers, p.python(work), data, work));
            } catch (IOException e) {
                System.out.println(p.system() + " is left out: " + e.getMessage());
            }
        }
    }

    private boolean measure() throws IOException {
        try {
            Map<Integer, double[]> wanted = new HashMap<>(); // by the rows of a batch
            int[] steps = new int[teams.size()];
            for (int i = 0; i < steps.length; i++) {
                DistributedTeam t = teams.get(i);
                System.err.println("warming up " + t.name());
                double[] losses = t.losses();
                if (t.isExact()) wanted.putIfAbsent(batch(t.workers()), losses);
                else checkFalling(t, losses);
                if (t.isExact()) compare(t, wanted.get(batch(t.workers())), losses);
                double rate = t.run(FEW_STEPS);
                for (long end = System.nanoTime() + (long) (warm * 1e9); System.nanoTime() < end; )
                    rate = t.run(steps(rate));
                steps[i] = steps(rate);
                if (t.system().equals("oxbow") && !DistributedRank.isServed(t.plan())) costs.put(t, t.costs());
            }
            for (int round = 1; rounds.goOn(round - 1, teams.stream().map(this::pairs)); round++) {
                System.err.println("round " + round);
                for (DistributedTeam t : Rounds.inTurn(round, teams)) t.add(t.run(steps[teams.indexOf(t)]));
            }
        } catch (ChildProcess.Failure e) {
            System.err.println("bench distributed: " + e.getMessage() + "; logs are in " + work);
            return false;
        }
        DistributedReport report = new DistributedReport(model, weak, teams, costs, rounds);
        report.print(System.out);
        if (json != null) Files.writeString(json, report.json());
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

    private static void checkFalling(DistributedTeam t, double[] got) throws ChildProcess.Failure {
        if (!(got[got.length - 1] < got[0]))
            throw new ChildProcess.Failure("%s: losses do not fall: %s".formatted(t.name(), Arrays.toString(got)));
    }

    private Optional<Pairs> pairs(DistributedTeam t) {
        return DistributedReport.pairs(t, teams, rounds);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path f : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(f);
        }
    }
}
