package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.batchNorm;
import static dev.oxbow.train.layer.Layers.conv;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.dropout;
import static dev.oxbow.train.layer.Layers.flatten;
import static dev.oxbow.train.layer.Layers.maxPool;
import static dev.oxbow.train.layer.Layers.sequential;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TrainerTest {

    /** Points of the plane, with class 1 inside of a ring around the origin. */
    private static Examples ring(int n, long seed) {
        Random random = new Random(seed);
        float[] x = new float[2 * n];
        int[] y = new int[n];
        for (int i = 0; i < n; i++) {
            x[2 * i] = (float) random.nextGaussian();
            x[2 * i + 1] = (float) random.nextGaussian();
            y[i] = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1] < 1.4 ? 1 : 0;
        }
        return Examples.of(Tensor.of(Shape.of(n, 2), x), Tensor.of(Shape.of(n), y));
    }

    @Test
    void aPerceptronLearnsWhatIsInsideOfARing() {
        Model model = Model.of(Input.floats("x", 2), sequential(dense(32, Value::relu), dropout(0.1), dense(2)), 1);
        try (Trainer trainer = Trainer.of(model, Losses.sparseCrossEntropy(), Optimizer.adam(0.01))
                .metrics(Metrics.accuracy())
                .start()) {
            List<Epoch> history = trainer.fit(ring(1000, 1).shuffled(32, 7), 20);
            double accuracy = trainer.evaluate(ring(500, 2).batches(64)).get("accuracy");
            assertTrue(accuracy > 0.95, "accuracy " + accuracy);
            assertEquals(32, history.getFirst().steps()); // 1000 examples in batches of 32, the last one of 8
            assertEquals(1000, history.getFirst().examples());
        }
    }

    @Test
    void whatTrainingChangesHasStableNames() {
        Model model = Model.of(
                Input.floats("x", 8, 8, 1),
                sequential(conv(4, 3, Value::relu), batchNorm(), maxPool(2), flatten(), dense(10)),
                1);
        try (Trainer trainer = Trainer.of(model, Losses.sparseCrossEntropy(), Optimizer.adam(0.01))
                .start()) {
            assertEquals(
                    List.of(
                            "conv1/kernel",
                            "conv1/bias",
                            "norm1/scale",
                            "norm1/offset",
                            "norm1/mean",
                            "norm1/variance",
                            "dense1/kernel",
                            "dense1/bias",
                            "step",
                            "conv1/kernel/adam/m",
                            "conv1/kernel/adam/v",
                            "conv1/bias/adam/m",
                            "conv1/bias/adam/v",
                            "norm1/scale/adam/m",
                            "norm1/scale/adam/v",
                            "norm1/offset/adam/m",
                            "norm1/offset/adam/v",
                            "dense1/kernel/adam/m",
                            "dense1/kernel/adam/v",
                            "dense1/bias/adam/m",
                            "dense1/bias/adam/v"),
                    trainer.state().stream().map(Parameter::name).toList());
            assertEquals("""
                    LAYER     OUTPUT         PARAMETERS
                    conv1     [?,8,8,4]              40
                    norm1     [?,8,8,4]              16
                    pool1     [?,4,4,4]               0
                    flatten1  [?,64]                  0
                    dense1    [?,10]                650
                    706 parameters, 698 of them trained
                    """, model.summary().toString());
        }
    }
}
