package dev.oxbow.examples;

import static dev.oxbow.train.layer.Layers.batchNorm;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.embedding;
import static dev.oxbow.train.layer.Layers.flatten;
import static dev.oxbow.train.layer.Layers.sequential;

import dev.oxbow.data.DataFolder;
import dev.oxbow.data.DataSet;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Examples;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.layer.Build;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;
import java.util.List;

/** Who earns more than 50,000 dollars: a linear model of pairs of facts beside a deep one (Cheng et al., 2016). */
public final class AdultExample implements Experiment {
    private static final int[] NUMBERS = {0, 2, 4, 10, 11, 12}, WORDS = {1, 3, 5, 6, 7, 8, 9, 13};
    /** Pairs of words whose meeting says more than each of them. */
    private static final int[][] PAIRS = {{3, 6}, {5, 7}, {6, 9}, {8, 9}};

    private static final int BUCKETS = 128, CROSSED = 1024;

    @Override
    public About about() {
        return new About(
                "adult",
                "wide-and-deep on the census of 1994 (./oxbow data get adult --from FOLDER first)",
                "people",
                5,
                64,
                0.001);
    }

    @Override
    public Trainer.Config trainer(Optimizer optimizer, long seed) {
        List<Input> inputs = List.of(
                Input.floats("numbers", NUMBERS.length),
                Input.ints("words", WORDS.length),
                Input.ints("pairs", PAIRS.length));
        Model model = Model.of(inputs, AdultExample::wideAndDeep, DType.F32, seed);
        return Trainer.of(model, Losses.binaryCrossEntropy(), optimizer)
                .metrics(Metrics.binaryAccuracy(), Metrics.auc());
    }

    private static Value wideAndDeep(Build b, List<Value> in) {
        Value numbers = b.layer("numbers", batchNorm(), in.get(0));
        Value words = b.layer("words", sequential(embedding((long) WORDS.length * BUCKETS, 8), flatten()), in.get(1));
        Value deep = b.layer(
                "deep",
                sequential(dense(64, Value::relu), dense(32, Value::relu), dense(1)),
                Value.concat(1, numbers, words));
        Value wide = b.layer("wide", embedding((long) PAIRS.length * CROSSED, 1), in.get(2))
                .sum(1);
        return deep.plus(wide);
    }

    @Override
    public Data data(long seed) {
        return new Data(read("adult.data"), read("adult.test"));
    }

    private static Examples read(String file) {
        List<String[]> rows = DataFolder.ofUser()
                .text(DataSet.ADULT, file)
                .lines()
                .map(l -> l.split(", "))
                .filter(c -> c.length == 15)
                .toList();
        int n = rows.size();
        Tensor numbers = Tensor.zeros(DType.F32, Shape.of(n, NUMBERS.length)),
                rich = Tensor.zeros(DType.F32, Shape.of(n, 1));
        Tensor words = Tensor.zeros(DType.I32, Shape.of(n, WORDS.length)),
                pairs = Tensor.zeros(DType.I32, Shape.of(n, PAIRS.length));
        for (int i = 0; i < n; i++) {
            String[] c = rows.get(i);
            for (int j = 0; j < NUMBERS.length; j++)
                numbers.set((long) i * NUMBERS.length + j, Math.log1p(Double.parseDouble(c[NUMBERS[j]])));
            for (int j = 0; j < WORDS.length; j++)
                words.set((long) i * WORDS.length + j, j * BUCKETS + Math.floorMod(c[WORDS[j]].hashCode(), BUCKETS));
            for (int j = 0; j < PAIRS.length; j++) {
                int hash = (c[PAIRS[j][0]] + "," + c[PAIRS[j][1]]).hashCode();
                pairs.set((long) i * PAIRS.length + j, j * CROSSED + Math.floorMod(hash, CROSSED));
            }
            rich.set(i, c[14].startsWith(">50K") ? 1 : 0);
        }
        return new Examples(List.of(numbers, words, pairs), rich);
    }
}
