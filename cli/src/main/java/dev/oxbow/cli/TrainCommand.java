package dev.oxbow.cli;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.SparseSoftmaxCrossEntropyWithLogits;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code oxbow train}: trains a small network on the bundled digits and prints its accuracy on held-out ones. */
@Command(
        name = "train",
        description = "Train a small network on the bundled handwritten digits (8x8 pixels).",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Four fifths of the digits train the network, the rest test it. The same seed gives the same result.",
            "",
            "Examples:",
            "  oxbow train",
            "  oxbow train --epochs 100 --rate 0.002 --seed 7"
        })
final class TrainCommand implements Callable<Integer> {
    private static final int HIDDEN = 128;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--epochs",
            paramLabel = "N",
            description = "Passes over the training digits (default ${DEFAULT-VALUE}).")
    private int epochs = 30;

    @Option(names = "--batch", paramLabel = "N", description = "Digits in each step (default ${DEFAULT-VALUE}).")
    private int batch = 32;

    @Option(names = "--rate", paramLabel = "R", description = "Adam's learning rate (default ${DEFAULT-VALUE}).")
    private double rate = 0.003;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the split, the start values and the order (default ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Digits digits = Digits.load().shuffled(seed);
        int trainSize = digits.size() - digits.size() / 5;
        Digits train = digits.slice(0, trainSize), test = digits.slice(trainSize, digits.size());
        Random random = new Random(seed);

        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, Digits.PIXELS));
        Value y = ops.placeholder("y", DType.I32, Shape.of(-1));
        List<Parameter> parameters = new ArrayList<>();
        Value hidden =
                dense("hidden", x, Digits.PIXELS, HIDDEN, random, parameters).relu();
        Value logits = dense("logits", hidden, HIDDEN, Digits.CLASSES, random, parameters);
        Value loss = Value.applyAll(new SparseSoftmaxCrossEntropyWithLogits(), logits, y)
                .get(0)
                .mean();
        Value correct =
                logits.argMax(1).cast(DType.I32).equalTo(y).cast(DType.F32).mean();
        Parameter.Adam adam = Parameter.adam(loss, rate, parameters);

        try (Session session = Session.open(g);
                ProgressBar bar = new ProgressBar(out, "training", epochs)) {
            List<Parameter> all = new ArrayList<>(parameters);
            all.addAll(adam.slots());
            session.target(all.stream().map(Parameter::initialiser).toArray(Node[]::new))
                    .run();
            Node[] updates = adam.updates().toArray(Node[]::new);
            for (int epoch = 1; epoch <= epochs; epoch++) {
                Digits order = train.shuffled(seed + epoch);
                double sum = 0;
                int steps = 0;
                for (int at = 0; at < order.size(); at += batch, steps++) {
                    int to = Math.min(at + batch, order.size());
                    try (Tensor images = order.images(at, to);
                            Tensor labels = order.labels(at, to);
                            Tensor l = run(session.feed(x.edge(), images)
                                    .feed(y.edge(), labels)
                                    .fetch(loss.edge())
                                    .target(updates))) {
                        sum += l.floats()[0];
                    }
                }
                bar.step(epoch, "loss %.4f".formatted(sum / steps));
            }
            bar.finish();
            try (Tensor images = test.images(0, test.size());
                    Tensor labels = test.labels(0, test.size());
                    Tensor accuracy = run(session.feed(x.edge(), images)
                            .feed(y.edge(), labels)
                            .fetch(correct.edge()))) {
                float share = accuracy.floats()[0];
                out.printf(
                        "test accuracy %.2f %% (%d of %d digits)%n",
                        100 * share, Math.round(share * test.size()), test.size());
            }
        }
        return 0;
    }

    private static Value dense(String name, Value x, int in, int out, Random random, List<Parameter> parameters) {
        float[] start = new float[in * out];
        for (int i = 0; i < start.length; i++) start[i] = (float) (random.nextGaussian() * Math.sqrt(2.0 / in));
        Parameter w = Parameter.of(name + "/w", x.ops().constant(Tensor.of(Shape.of(in, out), start)));
        Parameter b = Parameter.of(name + "/b", x.ops().constant(Tensor.zeros(DType.F32, Shape.of(out))));
        parameters.addAll(List.of(w, b));
        return x.matMul(w.value()).plus(b.value());
    }

    private static Tensor run(Session.Run run) {
        return run.run().get(0);
    }
}
