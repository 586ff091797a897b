package dev.oxbow.cli;

import dev.oxbow.cluster.server.Server;
import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.CommunicatorConfig;
import dev.oxbow.collective.Elastic;
import dev.oxbow.collective.JobConfig;
import dev.oxbow.collective.Ranks;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.net.RankEnvironment;
import dev.oxbow.net.launch.LaunchConfig;
import dev.oxbow.net.launch.LineSink;
import dev.oxbow.net.launch.LocalJob;
import dev.oxbow.net.launch.Outcome;
import dev.oxbow.observe.dashboard.Dashboard;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.optimizer.Optimizer;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code oxbow train [EXAMPLE]}: trains an experiment by a plan and prints how it does on what it has not seen; exits with 1
 * where {@code --compare} finds a difference, or where it was stopped.
 */
@Command(
        name = "train",
        description = "Train a bundled example, or an experiment of yours.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples that are bundled: digits, mnist, cifar10, shakespeare, adult and lstm. Those that need data say"
                    + " what ./oxbow data get wants. One of yours is a class that implements dev.oxbow.train.Experiment,"
                    + " in a Java source file or on a class path. The same seed gives the same result. With --checkpoints"
                    + " the state is kept after each epoch and when Ctrl-C stops it; the same command goes on from there.",
            "",
            "Examples:",
            "  oxbow train",
            "  oxbow train --epochs 100 --rate 0.002 --seed 7",
            "  oxbow train mnist --plan ring --workers 2",
            "  oxbow train mnist --elastic 2:4 --hosts hosts.txt",
            "  oxbow train mnist --plan ps-async --workers 4 --servers 2 --elastic 2:8 --checkpoints kept",
            "  oxbow train shakespeare --checkpoints kept --checkpoint-every 500",
            "  oxbow train Mine.java --epochs 3",
            "  oxbow train --plan replicas --devices 2",
            "  oxbow train --workers 4 --deterministic --digest",
            "  oxbow train --workers 2 --wire top-k:0.01",
            "  oxbow train mnist --precision bf16",
            "  oxbow train --workers 2 --dashboard",
            "  oxbow train --optimizer sgd --save one.npz && oxbow train --optimizer sgd --workers 2 --compare one.npz"
        })
final class TrainCommand implements Callable<Integer> {

    /** What workers may take to end their step and to keep the state when they are stopped. */
    private static final Duration STOPPING = Duration.ofSeconds(TrainingRun.GRACE_SECONDS);

    private enum Kind {
        cpu,
        gpu
    }

    private enum Precision {
        f32,
        bf16,
        f16;

        DType dtype() {
            return DType.valueOf(name().toUpperCase(Locale.ROOT));
        }
    }

    private enum Rule {
        adam,
        sgd,
        momentum
    }

    @Spec
    private CommandSpec spec;

    private Experiment experiment;

    @Parameters(
            arity = "0..1",
            paramLabel = "EXAMPLE",
            description = "The name of an example (default digits), a Java source file, or a class.")
    private String example = "digits";

    @Mixin
    private ClassPathOption classes;

    @Option(names = "--epochs", paramLabel = "N", description = "Passes over the data (default: the example's own).")
    private Integer epochs;

    @Option(names = "--batch", paramLabel = "N", description = "Rows of each step (default: the example's own).")
    private Integer batch;

    @Option(
            names = "--optimizer",
            paramLabel = "NAME",
            description = "adam, sgd or momentum (default: the example's own, mostly adam).")
    private Rule optimizer;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "The learning rate (default: the example's own; 0.1 for sgd, 0.05 for momentum).")
    private Double rate;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the split, the start values and the order (default ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(
            names = "--plan",
            paramLabel = "PLAN",
            converter = PlanText.Reader.class,
            description =
                    "How training is shared out: ring (of --workers, their default), push-pull:K (K more"
                            + " processes help to add gradients up), replicas (--devices of each process), or by parameter servers: ps, ps-async, ps-stale:STEPS. Behind it +across-steps (ring, push-pull: exchanges may end in the next step), +async (replicas: each updates for itself), +replicated (ps and its kin: workers keep copies), +copies (they: two servers hold each shard), +prefetch (they: variables are pulled ahead of steps).")
    private PlanText plan = PlanText.NONE;

    @Option(
            names = "--servers",
            paramLabel = "N",
            description =
                    "Processes that hold the parameters, under --plan ps and its kin (default 1), or help, under push-pull (always its K).")
    private Integer servers;

    @Option(
            names = "--devices",
            paramLabel = "N",
            description = "Devices of each process, which share its rows (default 1; 2 under --plan replicas).")
    private Integer devices;

    @Option(
            names = "--device",
            paramLabel = "KIND",
            description = "cpu, or gpu, which fails where there is none; by default a card where there is one.")
    private Kind device;

    @Option(
            names = "--precision",
            paramLabel = "TYPE",
            description = "Of products and convolutions: f32 (default), bf16, or f16, which scales the loss; parameters"
                    + " stay in f32.")
    private Precision precision = Precision.f32;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Train in N processes, each with its share of every batch.")
    private Integer workers;

    @Mixin
    private ElasticOptions elastic;

    @Option(
            names = "--transport",
            paramLabel = "KIND",
            description = "How workers talk: auto (default), tcp or shm (shared memory).")
    private LaunchCommand.Transport transport;

    @Option(
            names = "--wire",
            paramLabel = "FORMAT",
            description =
                    "How workers write gradients: none (default), bf16, f16, int8, or top-k:SHARE, the largest only.")
    private String wire;

    @Option(names = "--deterministic", description = "Workers end with the same bits every time.")
    private boolean deterministic;

    @Option(names = "--digest", description = "Print the norm and the SHA-256 of each parameter.")
    private boolean digest;

    @Option(names = "--save", paramLabel = "FILE", description = "Write the parameters to a file for NumPy (npz).")
    private Path save;

    @Option(
            names = "--compare",
            paramLabel = "FILE",
            description = "Exit with 1 unless each parameter is within 1e-5 of its norm of the one in such a file.")
    private Path compare;

    @Option(
            names = "--checkpoints",
            paramLabel = "FOLDER",
            description = "Keep the state there, and go on from the newest one.")
    private Path checkpoints;

    @Option(
            names = "--checkpoint-every",
            paramLabel = "STEPS",
            description = "Keep the state after so many steps, too, beside training (default: after each epoch alone).")
    private Integer checkpointEvery;

    @Option(names = "--kept", paramLabel = "N", description = "How many checkpoints stay (default ${DEFAULT-VALUE}).")
    private int kept = 3;

    @Mixin
    private WatchOptions watch;

    /** Fails before anything is trained where it would be in vain. */
    void validate() {
        chosen();
        boolean many = workers != null || isRank() || elastic.isElastic() || Elastic.isHere();
        String refusal = plan.refusal(many, devices, servers, wire);
        if (refusal != null) throw wrong(refusal);
        if (workers != null && workers < 1) throw wrong("--workers must be at least 1, got " + workers);
        refusal = elastic.refusal(workers, plan, watch.isShown());
        if (refusal != null) throw wrong(refusal);
        elastic.validate(spec.commandLine(), plan.isServed());
        if (epochs != null && epochs < 1) throw wrong("--epochs must be at least 1, got " + epochs);
        if (batch != null && batch < 1) throw wrong("--batch must be at least 1, got " + batch);
        if (rate != null && !(rate > 0)) throw wrong("--rate must be positive, got " + rate);
        if (device == Kind.gpu && !hasCard()) throw wrong("--device gpu: there is no card; see oxbow doctor");
        if (device == Kind.cpu) System.setProperty("oxbow.cuda", "off");
        if (transport != null && workers == null && !elastic.isElastic())
            throw wrong("--transport is for workers: give --workers, too");
        if (wire != null && workers == null && !isRank()) throw wrong("--wire is for workers: give --workers, too");
        if (wire != null) WireFormat.named(wire);
        if (compare != null && !Files.isReadable(compare)) throw wrong("--compare: there is no file " + compare);
        if (checkpointEvery != null && checkpoints == null)
            throw wrong("--checkpoint-every wants a folder: give --checkpoints, too");
        if (checkpointEvery != null && checkpointEvery < 1)
            throw wrong("--checkpoint-every must be at least 1, got " + checkpointEvery);
        refusal = watch.refusal();
        if (refusal != null) throw wrong(refusal);
        if (kept < 1) throw wrong("--kept must be at least 1, got " + kept);
        if (checkpoints != null && (refusal = TrainingRun.Kept.refusal(checkpoints)) != null) throw wrong(refusal);
        if (save == null) return;
        Path folder = save.toAbsolutePath().getParent();
        if (folder == null || !Files.isWritable(folder) || Files.isDirectory(save))
            throw wrong("--save: " + save + " can not be written");
    }

    private ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }

    private Experiment chosen() {
        if (experiment == null) experiment = Experiments.of(spec.commandLine(), example, classes.path());
        return experiment;
    }

    @Override
    public Integer call() throws InterruptedException {
        validate();
        PrintWriter out = spec.commandLine().getOut();
        watch.begin(example);
        if (!watch.isShown() || isRank()) return train(out);
        try (Dashboard _ = watch.show(out)) {
            return train(out);
        }
    }

    private static boolean isRank() {
        return System.getenv("OXBOW_RANK") != null || RankEnvironment.current().size() > 1;
    }

    private int train(PrintWriter out) throws InterruptedException {
        if (Elastic.isHere()) return new ElasticRun(chosen(), seed, plan, this::task, this::run).train(out);
        RankEnvironment environment = RankEnvironment.current();
        if (isRank()) {
            if (workers != null && workers + plan.helpers() != environment.size())
                throw new ParameterException(
                        spec.commandLine(),
                        "--workers is %d, but %s says %d ranks for plan %s"
                                .formatted(workers, environment.source(), environment.size(), plan));
            JobConfig config = JobConfig.from(System.getenv())
                    .withCommunicator(CommunicatorConfig.DEFAULT.withDeterministic(deterministic));
            try (Communicator job = Ranks.join(environment, config);
                    Server task = plan.isServed() ? task(job.rank()) : null) {
                return run(job, task).train(job.rank() == 0 ? out : new PrintWriter(Writer.nullWriter()));
            }
        }
        return workers != null || elastic.isElastic()
                ? launch(out, spec.commandLine().getErr())
                : run(null, null).train(out);
    }

    /** The task of a worker of parameter servers. */
    private Server task(int worker) {
        return ParameterServers.task(worker, plan.devices(devices));
    }

    private static boolean hasCard() {
        try (Engine e = new Engine(EngineOptions.defaults())) {
            return e.devices().stream().anyMatch(d -> d.spec().type().equals("GPU"));
        }
    }

    private TrainingRun run(Communicator job, Server task) {
        Experiment.About d = chosen().about();
        return new TrainingRun(
                chosen(),
                this::optimizer,
                plan(job, task),
                job,
                epochs == null ? d.epochs() : epochs,
                batch == null ? d.batch() : batch,
                seed,
                precision.dtype(),
                elastic.patience(),
                checkpoints == null ? null : new TrainingRun.Kept(checkpoints, kept, checkpointEvery),
                new TrainingRun.Outputs(digest, save, compare),
                watch.watched());
    }

    private Optimizer optimizer(long steps) {
        return switch (optimizer) {
            case null -> chosen().optimizer(rate == null ? chosen().about().rate() : rate, steps);
            case adam -> Optimizer.adam(rate == null ? chosen().about().rate() : rate);
            case sgd -> Optimizer.sgd(rate == null ? 0.1 : rate);
            case momentum -> Optimizer.momentum(rate == null ? 0.05 : rate, 0.9);
        };
    }

    private Plan plan(Communicator job, Server task) {
        if (task != null)
            return plan.served(
                            servers == null ? 1 : servers,
                            job == null ? Elastic.most() : job.size(),
                            plan.devices(devices))
                    .at(task.target(), task.task().task());
        Plan p = plan.of(job != null, plan.devices(devices));
        return p.withDeterministic(deterministic).withWire(WireFormat.named(wire == null ? "none" : wire));
    }

    private int launch(PrintWriter out, PrintWriter err) throws InterruptedException {
        String kind = (transport == null ? LaunchCommand.Transport.auto : transport).name();
        int most = elastic.isElastic() ? elastic.config(spec.commandLine()).max() : workers + plan.helpers();
        LaunchConfig config =
                LaunchConfig.local(most).with("OXBOW_TRANSPORT", kind).withGrace(STOPPING);
        if (!plan.isServed()) return launch(config, null, out, err);
        Duration silence = elastic.silence(spec.commandLine());
        try (ParameterServers all = new ParameterServers(servers == null ? 1 : servers, config, silence, err)) {
            return launch(all.workers(config), all, out, err);
        }
    }

    /** Starts this command once for each worker, and prints what the first of them prints; {@code all} may be null. */
    private int launch(LaunchConfig config, ParameterServers all, PrintWriter out, PrintWriter err)
            throws InterruptedException {
        List<String> arguments =
                new ArrayList<>(spec.commandLine().getParseResult().originalArgs());
        if (!arguments.getFirst().equals("train")) arguments.addFirst("train");
        Watched watched = watch.watched();
        if (watched != null && arguments.stream().noneMatch(a -> a.startsWith("--log")))
            arguments.addAll(List.of("--log", watched.folder().toString())); // all in the same folder
        LineSink lines = (rank, error, text) -> {
            PrintWriter to = error ? err : out;
            to.println((rank == 0 || elastic.isElastic()) && !error ? text : "[" + rank + "] " + text);
            to.flush();
        };
        List<String> command = JavaCommand.ours(arguments);
        Supplier<String> failure = all == null ? () -> null : all::failure;
        ElasticOptions.Start start = new ElasticOptions.Start(plan.isTogether(), workers, failure);
        if (elastic.isElastic()) return elastic.run(spec.commandLine(), config, start, command, lines, err);
        try (LocalJob job = LocalJob.start(config, command, lines)) {
            return switch (job.await()) {
                case Outcome.Done() -> 0;
                case Outcome.Stopped _, Outcome.GaveUp _ -> 1;
                case Outcome.Failed failed -> {
                    String server = all == null ? null : all.end();
                    err.println("oxbow: train: " + (server == null ? "" : server + "; ") + failed.describe());
                    yield LaunchCommand.exitStatus(failed);
                }
            };
        }
    }
}
