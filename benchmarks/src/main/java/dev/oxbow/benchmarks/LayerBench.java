package dev.oxbow.benchmarks;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Trainer;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench layers}: steps of {@code Trainer.fit} beside those of the same graphs built by hand, in turns. */
@Command(
        name = "layers",
        description = "Time training with layers beside the same graphs built by hand.",
        mixinStandardHelpOptions = true)
final class LayerBench implements Callable<Integer> {
    private static final double ENOUGH = 0.95;

    @Spec
    private CommandSpec spec;

    @Option(names = "--rounds", paramLabel = "N", description = "Turns of each (default ${DEFAULT-VALUE}).")
    private int rounds = 9;

    @Option(names = "--seconds", paramLabel = "S", description = "Seconds of each turn (default ${DEFAULT-VALUE}).")
    private double seconds = 1;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.printf("%-12s %12s %12s %8s  %s%n", "workload", "layers/s", "by hand/s", "ratio", "quartiles");
        boolean enough = true;
        for (Workload w : LayerModels.ALL) {
            Inputs in = StartValues.of(w);
            try (OxbowModel hand = OxbowPeer.built(w, in).open(EngineOptions.defaults(), SessionOptions.defaults());
                    Trainer layers = LayerModels.trainer(w, in);
                    Tensor x = LayerModels.x(w, in);
                    Tensor y = LayerModels.tensor(in.get("y"))) {
                Runnable step = hand::step;
                double[] own = new double[rounds], other = new double[rounds];
                for (int i = -1; i < rounds; i++) {
                    double a = fitted(layers, x, y), b = stepped(step);
                    if (i < 0) continue;
                    own[i] = a;
                    other[i] = b;
                }
                Pairs p = Pairs.of("by hand", own, other, false);
                enough &= p.median() >= ENOUGH;
                out.printf(
                        "%-12s %12.1f %12.1f %8.3f  %s%n",
                        w.key(), Pairs.quantile(own, 0.5), p.figure(), p.median(), p.quartiles());
                out.flush();
            }
        }
        return enough ? 0 : 1;
    }

    private double stepped(Runnable step) {
        long start = System.nanoTime(), end = start + (long) (seconds * 1e9);
        int steps = 0;
        while (System.nanoTime() < end) {
            step.run();
            steps++;
        }
        return steps / ((System.nanoTime() - start) / 1e9);
    }

    /** Steps of a second for an epoch that gives the same batch again and again until the time is over. */
    private double fitted(Trainer t, Tensor x, Tensor y) {
        long start = System.nanoTime(), end = start + (long) (seconds * 1e9);
        List<Integer> steps = new ArrayList<>(List.of(0));
        Batches same = (_, _) -> new Feed<>() {
            @Override
            public boolean hasNext() {
                return System.nanoTime() < end;
            }

            @Override
            public Batch next() {
                steps.set(0, steps.get(0) + 1);
                return new Batch(List.of(x.view(x.shape())), y.view(y.shape()));
            }
        };
        t.fit(same, 1);
        return steps.get(0) / ((System.nanoTime() - start) / 1e9);
    }
}
