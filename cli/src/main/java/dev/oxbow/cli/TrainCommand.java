package dev.oxbow.cli;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.CommunicatorConfig;
import dev.oxbow.collective.JobConfig;
import dev.oxbow.collective.Ranks;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.net.RankEnvironment;
import dev.oxbow.net.launch.LaunchConfig;
import dev.oxbow.net.launch.LineSink;
import dev.oxbow.net.launch.LocalJob;
import dev.oxbow.net.launch.Outcome;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Optimizer;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
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
import picocli.CommandLine.Spec;

/** {@code oxbow train}: trains a small network on the bundled digits and prints its accuracy on held-out ones. */
@Command(
        name = "train",
        description = "Train a small network on the bundled handwritten digits (8x8 pixels).",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Four fifths of the digits train the network, the rest test it. The same seed gives the same result. Adam"
                    + " without --workers and gradient descent with them end elsewhere, so --compare holds only runs of"
                    + " the same kind against each other.",
            "",
            "Examples:",
            "  oxbow train",
            "  oxbow train --epochs 100 --rate 0.002 --seed 7",
            "  oxbow train --plan ring --workers 4 --deterministic --digest",
            "  oxbow train --plan replicas --devices 2",
            "  oxbow train --workers 1 --save one.npz && oxbow train --workers 2 --compare one.npz"
        })
final class TrainCommand implements Callable<Integer> {
    private static final double CLOSE = 1e-5;

    private enum Planned {
        local,
        ring,
        replicas
    }

    private enum Transport {
        auto,
        tcp,
        shm
    }

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--epochs",
            paramLabel = "N",
            description = "Passes over the training digits (default ${DEFAULT-VALUE}).")
    private int epochs = 30;

    @Option(names = "--batch", paramLabel = "N", description = "Digits in each step (default ${DEFAULT-VALUE}).")
    private int batch = 32;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "The learning rate (default 0.003 for Adam, 0.1 for the gradient descent of workers).")
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
            names = "--workers",
            paramLabel = "N",
            description = "Train by gradient descent in N processes, each with its share of every batch.")
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

    /** Fails before anything is trained where it would be in vain. */
    void validate() {
        if (plan == Planned.ring && workers == null && !isRank())
            throw wrong("--plan ring is for workers: give --workers, too");
        if (plan == Planned.local && workers != null)
            throw wrong("--plan local is for one process: leave --workers out");
        if (devices != null && plan != Planned.replicas) throw wrong("--devices is for --plan replicas");
        if (devices != null && devices < 1) throw wrong("--devices must be at least 1, got " + devices);
        if (workers != null && workers < 1) throw wrong("--workers must be at least 1, got " + workers);
        if (epochs < 1) throw wrong("--epochs must be at least 1, got " + epochs);
        if (batch < 1) throw wrong("--batch must be at least 1, got " + batch);
        if (rate != null && !(rate > 0)) throw wrong("--rate must be positive, got " + rate);
        if (transport != null && workers == null) throw wrong("--transport is for workers: give --workers, too");
        if (compare != null && !Files.isReadable(compare)) throw wrong("--compare: there is no file " + compare);
        if (compare != null) ParameterFiles.check(compare, DigitsModel.in(new Graph(), seed));
        if (save == null) return;
        Path folder = save.toAbsolutePath().getParent();
        if (folder == null || !Files.isWritable(folder) || Files.isDirectory(save))
            throw wrong("--save: " + save + " can not be written");
    }

    private ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }

    @Override
    public Integer call() throws InterruptedException {
        validate();
        try {
            return train(spec.commandLine().getOut());
        } catch (LossException e) {
            throw new OxbowException(ErrorCode.INVALID_ARGUMENT, e.getMessage(), e);
        }
    }

    private static boolean isRank() {
        return System.getenv("OXBOW_RANK") != null;
    }

    private Plan plan() {
        Plan p = plan == Planned.replicas ? Plan.replicas(devices == null ? 2 : devices) : Plan.ring();
        return p.withDeterministic(deterministic);
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
                return work(out, job);
            }
        }
        if (workers != null) return launch(out, spec.commandLine().getErr());
        return plan == Planned.replicas ? work(out, null) : alone(out);
    }

    /** Trains, and where the loss is no number once more with a look at every value, which fails where that begins. */
    private int alone(PrintWriter out) {
        try {
            return alone(out, SessionOptions.defaults());
        } catch (LossException e) {
            out.println(e.getMessage() + "; training again to find where that begins");
            return alone(out, SessionOptions.defaults().withCheckNumerics(true));
        }
    }

    private int alone(PrintWriter out, SessionOptions options) {
        Digits digits = Digits.load().shuffled(seed);
        int trainSize = digits.size() - digits.size() / 5;
        Digits train = digits.slice(0, trainSize), test = digits.slice(trainSize, digits.size());

        Graph g = new Graph();
        DigitsModel model = DigitsModel.in(g, seed);
        Value loss = model.losses().mean();
        Optimizer.Updates adam = Optimizer.adam(rate == null ? 0.003 : rate).minimise(loss, model.parameters());

        try (Session session = Session.open(g, options);
                ProgressBar bar = new ProgressBar(out, "training", epochs)) {
            model.initialise(session, adam.slots());
            Node[] updates = adam.targets();
            for (int epoch = 1; epoch <= epochs; epoch++) {
                Digits order = train.shuffled(seed + epoch);
                double sum = 0;
                int steps = 0;
                for (int at = 0; at < order.size(); at += batch, steps++) {
                    int to = Math.min(at + batch, order.size());
                    try (Tensor images = order.images(at, to);
                            Tensor labels = order.labels(at, to);
                            Tensor l = session.feed(model.x().edge(), images)
                                    .feed(model.y().edge(), labels)
                                    .fetch(loss.edge())
                                    .target(updates)
                                    .run()
                                    .get(0)) {
                        sum += LossException.check(l.floats()[0], epoch);
                    }
                }
                bar.step(epoch, "loss %.4f".formatted(sum / steps));
            }
            bar.finish();
            printAccuracy(out, model.accuracy(session, test), test.size());
            List<Tensor> values = model.values(session);
            int status = finish(out, model.names(), values);
            values.forEach(Tensor::close);
            return status;
        }
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

    /** What each worker does, or the only process where {@code job} is null; the first one tells. */
    private int work(PrintWriter out, Communicator job) {
        boolean tells = job == null || job.rank() == 0;
        PrintWriter to = tells ? out : new PrintWriter(Writer.nullWriter());
        double step = rate == null ? 0.1 : rate;
        DataParallel.Trained trained;
        try {
            trained = train(to, new PlannedTraining(plan(), epochs, batch, step, seed, false), job);
        } catch (LossException e) { // on all ranks alike, since the loss is that of the whole batch
            to.println(e.getMessage() + "; training again to find where that begins");
            trained = train(to, new PlannedTraining(plan(), epochs, batch, step, seed, true), job);
        }
        printAccuracy(to, trained.accuracy(), trained.tested());
        List<Double> millis = trained.stepMillis().stream().sorted().toList();
        to.printf(
                "%s, %d steps of %d digits, %.3f ms a step (median)%n",
                job == null ? plan().devices() + " devices" : job.size() + " workers",
                millis.size(),
                batch,
                millis.get(millis.size() / 2));
        if (job != null) Waits.print(to, job, millis.size());
        int status = tells ? finish(to, trained.names(), trained.values()) : 0;
        trained.values().forEach(Tensor::close);
        return status;
    }

    private DataParallel.Trained train(PrintWriter out, PlannedTraining planned, Communicator job) {
        try (ProgressBar bar = new ProgressBar(out, "training", epochs)) {
            return planned.train(job, (epoch, loss) -> bar.step(epoch, "loss %.4f".formatted(loss)));
        }
    }

    private static void printAccuracy(PrintWriter out, float share, int size) {
        out.printf("test accuracy %.2f %% (%d of %d digits)%n", 100 * share, Math.round(share * size), size);
    }

    private int finish(PrintWriter out, List<String> names, List<Tensor> values) {
        if (digest) ParameterFiles.print(out, names, values);
        if (save != null) ParameterFiles.save(save, names, values);
        if (compare == null) return 0;
        double distance = ParameterFiles.distance(compare, names, values);
        out.printf("parameters differ from %s by %.3g of their norm at most%n", compare, distance);
        return distance <= CLOSE ? 0 : 1;
    }
}
