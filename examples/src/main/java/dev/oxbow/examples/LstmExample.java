package dev.oxbow.examples;

import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.lstm;
import static dev.oxbow.train.layer.Layers.of;
import static dev.oxbow.train.layer.Layers.sequential;

import dev.oxbow.train.Experiment;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;

/** A recurrent network that reads the bundled digits row by row, as eight steps of eight pixels. */
public final class LstmExample implements Experiment {
    private static final int SIDE = 8;

    @Override
    public About about() {
        return new About("lstm", "an LSTM that reads the bundled digits row by row", "digits", 20, 32, 0.005);
    }

    @Override
    public Trainer.Config trainer(Optimizer optimizer, long seed) {
        Model model = Model.of(
                Input.floats("x", Digits.PIXELS),
                sequential(of("rows", x -> x.reshape(-1, SIDE, SIDE)), lstm(64), dense(Digits.CLASSES)),
                seed);
        return Trainer.of(model, Losses.sparseCrossEntropy(), optimizer.withClipping(1))
                .metrics(Metrics.accuracy());
    }

    @Override
    public Data data(long seed) {
        return new DigitsExample().data(seed);
    }
}
