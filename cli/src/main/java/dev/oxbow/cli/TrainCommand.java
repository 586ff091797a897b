package dev.oxbow.cli;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.CommunicatorConfig;
import dev.oxbow.collective.JobConfig;
import dev.oxbow.collective.Ranks;
import dev.oxbow.examples.Example;
import dev.oxbow.net.RankEnvironment;
import dev.oxbow.net.launch.LaunchConfig;
import dev.oxbow.net.launch.LineSink;
import dev.oxbow.net.launch.LocalJob;
import dev.oxbow.net.launch.Outcome;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.train.optimizer.Optimizer;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code oxbow train [EXAMPLE]}: trains a bundled example by a plan and prints its accuracy on what it has not seen; exits
 * with 1 where {@code --compare} finds a difference.
 */
@Command(
        name = "train",
        description = "Train a bundled example: digits (default) or mnist.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "digits trains a perceptron on four fifths of the bundled digits and tests it on the rest; mnist trains a"
                    + " convolutional network, once ./oxbow data get mnist has its files. The same seed gives the same"
                    + " result. With --checkpoints the state is kept after each epoch and, in one process, when Ctrl-C"
                    + " stops it; the same command goes on from there.",
            "",
            "Examples:",
            "  oxbow train",
            "  oxbow train --epochs 100 --rate 0.002 --seed 7",
            "  oxbow train mnist --plan ring --workers 2",
            "  oxbow train --plan replicas --devices 2",
            "  oxbow train --workers 4 --deterministic --digest",
            "  oxbow train --optimizer sgd --save one.npz && oxbow train --optimizer sgd --workers 2 --compare one.npz"
        })
final class TrainCommand implements Callable<Integer> {

    private enum Transport {
        auto,
        tcp,
        shm
    }

    private enum Planned {
        local,
        ring,
        replicas
    }

    private enum Kind {
        cpu,
        gpu
    }

    private enum Rule {
        adam,
        sgd,
        momentum
    }

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "EXAMPLE", description = "digits (default) or mnist.")
    private String example = "digits";

    @Option(names = "--epochs", paramLabel = "N", description = "Passes over the examples (default 30, mnist 3).")
    private Integer epochs;

    @Option(names = "--batch", paramLabel = "N", description = "Examples in each step (default 32, mnist 64).")
    private Integer batch;

    @Option(names = "--optimizer", paramLabel = "NAME", description = "adam (default), sgd or momentum.")
    private Rule optimizer = Rule.adam;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "The learning rate (default 0.003, mnist 0.001; 0.1 for sgd, 0.05 for momentum).")
    private Double rate;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the split, the start values and the order (default ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(
            names = "--plan",
            paramLabel = "PLAN",
            description =
                    "How training is shared out: ring (of --workers, their default) or replicas (--devices of each"
                            + " process).")
    private Planned plan;

    @Option(names = "--devices", paramLabel = "N", description = "Devices of each process under --plan replicas.")
    private Integer devices;

    @Option(
            names = "--device",
            paramLabel = "KIND",
            description = "cpu, or gpu, which fails where there is none; by default a card where there is one.")
    private Kind device;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Train in N processes, each with its share of every batch.")
    private Integer workers;

    @Option(
            names = "--transport",
            paramLabel = "KIND",
            description = "How workers talk: auto (default), tcp or shm (shared memory).")
    private Transport transport;

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

    /** Fails before anything is trained where it would be in vain. */
    void validate() {
        chosen();
        if (plan == Planned.ring && workers == null && !isRank())
            throw wrong("--plan ring is for workers: give --workers, too");
        if (plan == Planned.local && workers != null)
            throw wrong("--plan local is for one process: leave --workers out");
        if (devices != null && plan != Planned.replicas) throw wrong("--devices is for --plan replicas");
        if (devices != null && devices < 1) throw wrong("--devices must be at least 1, got " + devices);
        if (workers != null && workers < 1) throw wrong("--workers must be at least 1, got " + workers);
        if (epochs != null && epochs < 1) throw wrong("--epochs must be at least 1, got " + epochs);
        if (batch != null && batch < 1) throw wrong("--batch must be at least 1, got " + batch);
        if (rate != null && !(rate > 0)) throw wrong("--rate must be positive, got " + rate);
        if (device == Kind.gpu && !hasCard()) throw wrong("--device gpu: there is no card; see oxbow doctor");
        if (device == Kind.cpu) System.setProperty("oxbow.cuda", "off");
        if (transport != null && workers == null) throw wrong("--transport is for workers: give --workers, too");
        if (compare != null && !Files.isReadable(compare)) throw wrong("--compare: there is no file " + compare);
        if (checkpoints != null && Files.exists(checkpoints) && !Files.isDirectory(checkpoints))
            throw wrong("--checkpoints: " + checkpoints + " is no folder");
        if (save == null) return;
        Path folder = save.toAbsolutePath().getParent();
        if (folder == null || !Files.isWritable(folder) || Files.isDirectory(save))
            throw wrong("--save: " + save + " can not be written");
    }

    private ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }

    private Example chosen() {
        List<Example> all = Example.all();
        for (Example e : all) if (e.name().equals(example)) return e;
        throw wrong("there is no example '%s', only %s"
                .formatted(
                        example,
                        String.join(", ", all.stream().map(Example::name).toList())));
    }

    @Override
    public Integer call() throws InterruptedException {
        validate();
        return train(spec.commandLine().getOut());
    }

    private static boolean isRank() {
        return System.getenv("OXBOW_RANK") != null;
    }

    private int train(PrintWriter out) throws InterruptedException {
        RankEnvironment environment = RankEnvironment.current();
        if (environment.size() > 1 || isRank()) {
            if (workers != null && workers != environment.size())
                throw new ParameterException(
                        spec.commandLine(),
                        "--workers is %d, but %s says %d ranks"
                                .formatted(workers, environment.source(), environment.size()));
            JobConfig config = JobConfig.from(System.getenv())
                    .withCommunicator(CommunicatorConfig.DEFAULT.withDeterministic(deterministic));
            try (Communicator job = Ranks.join(environment, config)) {
                return run(job).train(job.rank() == 0 ? out : new PrintWriter(Writer.nullWriter()));
            }
        }
        return workers != null
                ? launch(out, spec.commandLine().getErr())
                : run(null).train(out);
    }

    private static boolean hasCard() {
        try (Engine e = new Engine(EngineOptions.defaults())) {
            return e.devices().stream().anyMatch(d -> d.spec().type().equals("GPU"));
        }
    }

    private TrainingRun run(Communicator job) {
        Example e = chosen();
        Example.Defaults d = e.defaults();
        return new TrainingRun(
                e,
                optimizer(d),
                plan(job),
                job,
                epochs == null ? d.epochs() : epochs,
                batch == null ? d.batch() : batch,
                seed,
                checkpoints,
                new TrainingRun.Outputs(digest, save, compare));
    }

    private Optimizer optimizer(Example.Defaults d) {
        return switch (optimizer) {
            case adam -> Optimizer.adam(rate == null ? d.rate() : rate);
            case sgd -> Optimizer.sgd(rate == null ? 0.1 : rate);
            case momentum -> Optimizer.momentum(rate == null ? 0.05 : rate, 0.9);
        };
    }

    private Plan plan(Communicator job) {
        Plan p = plan == Planned.replicas
                ? Plan.replicas(devices == null ? 2 : devices)
                : job != null ? Plan.ring() : Plan.local();
        return p.withDeterministic(deterministic);
    }

    /** Starts this command once for each worker, and prints what the first of them prints. */
    private int launch(PrintWriter out, PrintWriter err) throws InterruptedException {
        String kind = (transport == null ? Transport.auto : transport).name();
        LaunchConfig config = LaunchConfig.local(workers).with("OXBOW_TRANSPORT", kind);
        List<String> arguments =
                new ArrayList<>(spec.commandLine().getParseResult().originalArgs());
        if (!arguments.getFirst().equals("train")) arguments.addFirst("train");
        LineSink lines = (rank, error, text) -> {
            PrintWriter to = error ? err : out;
            to.println(rank == 0 && !error ? text : "[" + rank + "] " + text);
            to.flush();
        };
        try (LocalJob job = LocalJob.start(config, JavaCommand.ours(arguments), lines)) {
            return switch (job.await()) {
                case Outcome.Done() -> 0;
                case Outcome.Stopped() -> 1;
                case Outcome.Failed failed -> {
                    err.println("oxbow: train: " + failed.describe());
                    yield LaunchCommand.exitStatus(failed);
                }
            };
        }
    }
}
