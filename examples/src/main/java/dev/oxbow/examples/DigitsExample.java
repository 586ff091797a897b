package dev.oxbow.examples;

import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.sequential;

import dev.oxbow.ops.Value;
import dev.oxbow.train.Examples;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.layer.Initialiser;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;

/** A perceptron on the bundled digits. */
public final class DigitsExample implements Experiment {

    @Override
    public About about() {
        return new About(
                "digits", "a perceptron on the bundled handwritten digits (8x8 pixels)", "digits", 30, 32, 0.003);
    }

    @Override
    public Trainer.Config trainer(Optimizer optimizer, long seed) {
        Model model = Model.of(
                Input.floats("x", Digits.PIXELS),
                sequential(dense(128, Value::relu).start(Initialiser.heNormal()), dense(Digits.CLASSES)),
                seed);
        return Trainer.of(model, Losses.sparseCrossEntropy(), optimizer).metrics(Metrics.accuracy());
    }

    /** Four fifths train, the rest tests. */
    @Override
    public Data data(long seed) {
        Digits digits = Digits.load().shuffled(seed);
        int split = digits.size() - digits.size() / 5;
        return new Data(examples(digits, 0, split), examples(digits, split, digits.size()));
    }

    private static Examples examples(Digits digits, int from, int to) {
        return Examples.of(digits.images(from, to), digits.labels(from, to));
    }
}
