package dev.oxbow.examples;

import static dev.oxbow.train.layer.Layers.activation;
import static dev.oxbow.train.layer.Layers.batchNorm;
import static dev.oxbow.train.layer.Layers.conv;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.globalAvgPool;
import static dev.oxbow.train.layer.Layers.sequential;
import static dev.oxbow.train.layer.Layers.sum;

import dev.oxbow.data.DataFolder;
import dev.oxbow.data.DataSet;
import dev.oxbow.data.TarGz;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.ops.Value;
import dev.oxbow.train.ExampleSet;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.layer.Initialiser;
import dev.oxbow.train.layer.Layer;
import dev.oxbow.train.layer.Layers;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.optimizer.Schedule;
import java.util.ArrayList;
import java.util.List;

/** A residual network of 20 layers on CIFAR-10 (He et al., 2016). */
public final class CifarExample implements Experiment {
    private static final int BLOCKS = 3;

    @Override
    public About about() {
        return new About(
                "cifar10",
                "a ResNet-20 on CIFAR-10 (./oxbow data get cifar10 --from FILE first)",
                "images",
                30,
                128,
                0.1);
    }

    @Override
    public Optimizer optimizer(double rate, long steps) {
        return Optimizer.nesterov(rate, 0.9)
                .withSchedule(Schedule.cosine(rate, 0, steps))
                .withDecay(5e-4);
    }

    @Override
    public Trainer.Config trainer(Optimizer optimizer, long seed) {
        List<Layer> all = new ArrayList<>(List.of(convolved(16, 3, 1), activation(Value::relu)));
        for (int stage = 0; stage < 3; stage++)
            for (int i = 0; i < BLOCKS; i++) all.add(block(16 << stage, stage > 0 && i == 0 ? 2 : 1));
        all.addAll(List.of(globalAvgPool(), dense(10)));
        Model model = Model.of(
                Input.floats("x", CifarRow.SIDE, CifarRow.SIDE, 3), sequential(all.toArray(Layer[]::new)), seed);
        return Trainer.of(model, Losses.sparseCrossEntropy(), optimizer).metrics(Metrics.accuracy());
    }

    private static Layer convolved(int filters, int size, int stride) {
        return sequential(conv(filters, size).stride(stride).withoutBias().start(Initialiser.heNormal()), batchNorm());
    }

    /** {@code relu(x + f(x))}; where the image becomes smaller, x goes through a convolution of size 1. */
    private static Layer block(int filters, int stride) {
        Layer f = sequential(convolved(filters, 3, stride), activation(Value::relu), convolved(filters, 3, 1));
        Layer same = stride == 1 ? Layers.of("same", x -> x) : convolved(filters, 1, stride);
        return sequential(sum(f, same), activation(Value::relu));
    }

    /** Rows of a class and 3 x 32 x 32 bytes: five files to learn from, one to be tested on. */
    @Override
    public Data data(long seed) {
        return new Data(read("data_batch_[1-5].bin"), read("test_batch.bin"));
    }

    private static ExampleSet read(String files) {
        byte[] rows = TarGz.read(DataFolder.ofUser().file(DataSet.CIFAR10), ".*/" + files);
        Pipeline<Long> all = Pipeline.range(rows.length / CifarRow.BYTES);
        return ExampleSet.of(
                rows.length / CifarRow.BYTES,
                all.map("pixels", 0, new CifarRow(rows, false)),
                seed -> all.shuffle(seed).map("augment", seed, new CifarRow(rows, true)));
    }
}
