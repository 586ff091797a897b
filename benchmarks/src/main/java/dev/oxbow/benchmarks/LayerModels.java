package dev.oxbow.benchmarks;

import static dev.oxbow.train.layer.Layers.attention;
import static dev.oxbow.train.layer.Layers.conv;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.flatten;
import static dev.oxbow.train.layer.Layers.lstm;
import static dev.oxbow.train.layer.Layers.maxPool;
import static dev.oxbow.train.layer.Layers.sequential;
import static dev.oxbow.train.layer.Layers.transformerBlock;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.layer.Layer;
import dev.oxbow.train.loss.Loss;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Workloads of {@code bench cpu} written with layers, over the same start values and data as the graphs built by hand. */
final class LayerModels {
    static final List<Workload> ALL = List.of(Workload.MLP, Workload.CNN, Workload.TRANSFORMER, Workload.LSTM_LOOP);

    private LayerModels() {}

    /** A trainer that stands at the start values; its steps are those of the graph built by hand. */
    static Trainer trainer(Workload w, Inputs in) {
        Tensor x = x(w, in);
        Input input = new Input(
                "x", DType.F32, x.shape().slice(1, x.shape().rank()), x.shape().dim(0));
        x.close();
        boolean classes = w == Workload.MLP || w == Workload.CNN;
        Loss loss = classes ? Losses.sparseCrossEntropy() : Losses.squaredError();
        Trainer t = Trainer.of(Model.of(input, layer(w), 1), loss, Optimizer.sgd(w.rate()))
                .start();
        Map<String, Tensor> values = new LinkedHashMap<>();
        names(w).forEach((ours, theirs) -> values.put(theirs, tensor(in.get(ours))));
        t.load(values);
        values.values().forEach(Tensor::close);
        return t;
    }

    private static Layer layer(Workload w) {
        return switch (w) {
            case MLP -> sequential(dense(512, Value::relu), dense(256, Value::relu), dense(10));
            case CNN ->
                sequential(
                        conv(32, 5, Value::relu),
                        maxPool(2).padded(),
                        conv(64, 5, Value::relu),
                        maxPool(2).padded(),
                        flatten(),
                        dense(1024, Value::relu),
                        dense(10));
            case TRANSFORMER -> transformerBlock(attention(Workload.HEADS), 1024);
            case LSTM_LOOP -> lstm(256);
            default -> throw new IllegalArgumentException("layers have no " + w);
        };
    }

    /** The names of parameters in the data, and those that layers have. */
    private static Map<String, String> names(Workload w) {
        Map<String, String> names = new LinkedHashMap<>();
        switch (w) {
            case MLP -> {
                for (int i = 0; i < 3; i++) pair(names, i, "dense" + (i + 1));
            }
            case CNN -> {
                for (int i = 0; i < 2; i++) pair(names, i, "conv" + (i + 1));
                for (int i = 0; i < 2; i++) pair(names, i + 2, "dense" + (i + 1));
            }
            case TRANSFORMER -> {
                List<String> heads = List.of("query", "key", "value", "output");
                for (int i = 0; i < 4; i++) pair(names, i + 1, "attention/" + heads.get(i));
                pair(names, 6, "hidden");
                pair(names, 7, "output");
                for (int i = 0; i < 2; i++) {
                    names.put("g" + 5 * i, "norm" + (i + 1) + "/scale");
                    names.put("b" + 5 * i, "norm" + (i + 1) + "/offset");
                }
            }
            case LSTM_LOOP -> names.putAll(Map.of("w0", "input/kernel", "b0", "input/bias", "w1", "recurrent"));
            default -> throw new IllegalArgumentException("layers have no " + w);
        }
        return names;
    }

    private static void pair(Map<String, String> names, int number, String layer) {
        names.put("w" + number, layer + "/kernel");
        names.put("b" + number, layer + "/bias");
    }

    /** The data as layers want it, the batch first. */
    static Tensor x(Workload w, Inputs in) {
        Tensor x = tensor(in.get("x"));
        if (w != Workload.LSTM_LOOP) return x;
        long time = x.shape().dim(0), batch = x.shape().dim(1), n = x.shape().dim(2);
        Tensor turned = Tensor.zeros(DType.F32, Shape.of(batch, time, n));
        for (long t = 0; t < time; t++)
            for (long b = 0; b < batch; b++)
                for (long i = 0; i < n; i++) turned.set((b * time + t) * n + i, x.getDouble((t * batch + b) * n + i));
        x.close();
        return turned;
    }

    static Tensor tensor(Inputs.Array a) {
        return Tensor.ofBytes(a.dtype().equals("i32") ? DType.I32 : DType.F32, OxbowPeer.shape(a), a.buffer());
    }
}
