package dev.oxbow.examples;

import dev.oxbow.data.DataFolder;
import dev.oxbow.data.DataSet;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Examples;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.layer.Layer;
import dev.oxbow.train.layer.Layers;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.optimizer.Schedule;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A small transformer that learns to write like Shakespeare, character by character. */
public final class ShakespeareExample implements Experiment {
    private static final String SYMBOLS = "\n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int TIME = 64, CHANNELS = 128, STRIDE = 32;

    @Override
    public About about() {
        return new About(
                "shakespeare",
                "a transformer that writes characters (./oxbow data get shakespeare --from FILE first)",
                "passages",
                3,
                32,
                0.002);
    }

    @Override
    public Optimizer optimizer(double rate, long steps) {
        Schedule falling = Schedule.cosine(rate, rate / 10, Math.max(1, steps - 100));
        Optimizer adam = Optimizer.adamW(rate, 0.1).withClipping(1);
        return adam.withSchedule(Schedule.warmup(100, falling));
    }

    @Override
    public Trainer.Config trainer(Optimizer optimizer, long seed) {
        Layer block = Layers.transformerBlock(Layers.causalAttention(4), 4 * CHANNELS);
        Layer body = Layers.sequential(
                Layers.embedding(SYMBOLS.length(), CHANNELS),
                Layers.positions(TIME),
                Layers.sequential(block, block, block, block),
                Layers.layerNorm(),
                Layers.dense(SYMBOLS.length()));
        return Trainer.of(Model.of(Input.ints("x", TIME), body, seed), Losses.sparseCrossEntropy(), optimizer)
                .metrics(Metrics.perplexity());
    }

    /** The last tenth of the text is kept for the test. */
    @Override
    public Data data(long seed) {
        int[] text = numbers(DataFolder.ofUser().text(DataSet.SHAKESPEARE));
        int[] start = Arrays.copyOf(text, text.length / 10 * 9);
        return new Data(passages(start, STRIDE), passages(Arrays.copyOfRange(text, start.length, text.length), TIME));
    }

    private static int[] numbers(String text) {
        return text.chars().map(SYMBOLS::indexOf).toArray();
    }

    /** Passages as inputs, and the same one character later as targets. */
    private static Examples passages(int[] text, int stride) {
        int n = (text.length - 1 - TIME) / stride + 1;
        int[] x = new int[n * TIME], y = new int[n * TIME];
        for (int i = 0; i < n; i++) {
            System.arraycopy(text, i * stride, x, i * TIME, TIME);
            System.arraycopy(text, i * stride + 1, y, i * TIME, TIME);
        }
        return Examples.of(Tensor.of(Shape.of(n, TIME), x), Tensor.of(Shape.of(n, TIME), y));
    }

    /** What it writes behind a line break, one character after the other. */
    @Override
    public List<String> show(Trainer trained, long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder("\n".repeat(TIME));
        for (int i = 0; i < 400; i++) {
            try (Tensor x = Tensor.of(Shape.of(1, TIME), numbers(text.substring(text.length() - TIME)));
                    Tensor y = trained.predict(x)) {
                double[] weights = new double[SYMBOLS.length()];
                for (int s = 0; s < weights.length; s++)
                    weights[s] = Math.exp(y.getDouble((TIME - 1L) * weights.length + s) / 0.8);
                double left = random.nextDouble() * Arrays.stream(weights).sum();
                int chosen = 0;
                while (chosen < weights.length - 1 && (left -= weights[chosen]) > 0) chosen++;
                text.append(SYMBOLS.charAt(chosen));
            }
        }
        return text.toString().strip().lines().toList();
    }
}
