package dev.oxbow.examples;

import static dev.oxbow.train.layer.Layers.conv;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.dropout;
import static dev.oxbow.train.layer.Layers.flatten;
import static dev.oxbow.train.layer.Layers.maxPool;
import static dev.oxbow.train.layer.Layers.sequential;

import dev.oxbow.data.DataFolder;
import dev.oxbow.data.DataSet;
import dev.oxbow.data.Idx;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Examples;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;

/** A small convolutional network on MNIST. */
public final class MnistExample implements Experiment {
    private static final int SIDE = 28;
    private static final float WHITE = 255;

    @Override
    public About about() {
        return new About(
                "mnist",
                "a convolutional network on MNIST (./oxbow data get mnist --from FOLDER first)",
                "digits",
                3,
                64,
                0.001);
    }

    @Override
    public Trainer.Config trainer(Optimizer optimizer, long seed) {
        Model model = Model.of(
                Input.floats("x", SIDE, SIDE, 1),
                sequential(
                        conv(16, 5, Value::relu),
                        maxPool(2),
                        conv(32, 5, Value::relu),
                        maxPool(2),
                        flatten(),
                        dense(128, Value::relu),
                        dropout(0.3),
                        dense(10)),
                seed);
        return Trainer.of(model, Losses.sparseCrossEntropy(), optimizer).metrics(Metrics.accuracy());
    }

    @Override
    public Data data(long seed) {
        return new Data(read("train"), read("t10k"));
    }

    private static Examples read(String part) {
        DataFolder data = DataFolder.ofUser();
        try (Tensor pixels = Idx.read(data.file(DataSet.MNIST, part + "-images-idx3-ubyte.gz"));
                Tensor classes = Idx.read(data.file(DataSet.MNIST, part + "-labels-idx1-ubyte.gz"))) {
            byte[] raw = pixels.bytes(), labels = classes.bytes();
            float[] images = new float[raw.length];
            for (int i = 0; i < raw.length; i++) images[i] = (raw[i] & 0xff) / WHITE;
            int[] y = new int[labels.length];
            for (int i = 0; i < y.length; i++) y[i] = labels[i];
            Shape shape = Shape.of(y.length, SIDE, SIDE, 1);
            return Examples.of(Tensor.of(shape, images), Tensor.of(Shape.of(y.length), y));
        }
    }
}
