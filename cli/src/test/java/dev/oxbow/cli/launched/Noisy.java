package dev.oxbow.cli.launched;

import static dev.oxbow.train.layer.Layers.batchNorm;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.dropout;
import static dev.oxbow.train.layer.Layers.sequential;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Examples;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import java.util.Random;

/** An experiment whose steps differ by dropout and by the order of its rows, for tests that stop it anywhere. */
public final class Noisy implements Experiment {

    @Override
    public About about() {
        return new About("noisy", "rows of noise", "rows", 12, 16, 0.01);
    }

    @Override
    public Trainer.Config trainer(Optimizer optimizer, long seed) {
        Model model = Model.of(
                Input.floats("x", 16), sequential(dense(64, Value::relu), batchNorm(), dropout(0.4), dense(1)), seed);
        return Trainer.of(model, Losses.squaredError(), optimizer);
    }

    @Override
    public Data data(long seed) {
        return new Data(rows(410, seed), rows(50, seed + 1));
    }

    private static Examples rows(int n, long seed) {
        Random random = new Random(seed);
        Tensor x = Tensor.zeros(DType.F32, Shape.of(n, 16)), y = Tensor.zeros(DType.F32, Shape.of(n, 1));
        for (long i = 0; i < x.size(); i++) x.set(i, random.nextGaussian());
        for (long i = 0; i < n; i++) y.set(i, x.getDouble(16 * i) - 2 * x.getDouble(16 * i + 1));
        return Examples.of(x, y);
    }
}
