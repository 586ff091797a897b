package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.activation;
import static dev.oxbow.train.layer.Layers.attention;
import static dev.oxbow.train.layer.Layers.avgPool;
import static dev.oxbow.train.layer.Layers.batchNorm;
import static dev.oxbow.train.layer.Layers.bidirectional;
import static dev.oxbow.train.layer.Layers.causalAttention;
import static dev.oxbow.train.layer.Layers.conv;
import static dev.oxbow.train.layer.Layers.convTransposed;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.depthwise;
import static dev.oxbow.train.layer.Layers.embedding;
import static dev.oxbow.train.layer.Layers.fusedLstm;
import static dev.oxbow.train.layer.Layers.globalAvgPool;
import static dev.oxbow.train.layer.Layers.globalMaxPool;
import static dev.oxbow.train.layer.Layers.groupNorm;
import static dev.oxbow.train.layer.Layers.gru;
import static dev.oxbow.train.layer.Layers.layerNorm;
import static dev.oxbow.train.layer.Layers.lstm;
import static dev.oxbow.train.layer.Layers.maxPool;
import static dev.oxbow.train.layer.Layers.rnn;
import static dev.oxbow.train.layer.Layers.separable;
import static java.util.Map.entry;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.train.layer.Layer;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Layers against answers of Keras, which {@code train/record/keras_layers.py} records: outputs and all gradients. */
final class KerasTest extends RecordedLayers {
    private static final Map<String, Layer> LAYERS = Map.ofEntries(
            entry("dense", dense(4, Value::tanh)),
            entry("dense_time", dense(4).withoutBias()),
            entry("conv1", conv(3, 3).stride(2)),
            entry("conv2", conv(3, 3).unpadded()),
            entry("conv2_stride", conv(3, 3).stride(2)),
            entry("conv2_dilated", conv(2, 2).dilation(2).withoutBias()),
            entry("conv3", conv(2, 2).stride(2)),
            entry("transposed1", convTransposed(3, 3).stride(2)),
            entry("transposed2", convTransposed(2, 3).stride(2).unpadded()),
            entry("transposed3", convTransposed(2, 2).stride(2)),
            entry("depthwise1", depthwise(3)),
            entry("depthwise2", depthwise(3).stride(2).unpadded()),
            entry("separable", separable(4, 3, Value::tanh)),
            entry("max_pool1", maxPool(3).stride(2).padded()),
            entry("max_pool2", maxPool(2)),
            entry("max_pool3", maxPool(2)),
            entry("avg_pool1", avgPool(2)),
            entry("avg_pool2", avgPool(3).stride(2).padded()),
            entry("avg_pool3", avgPool(2)),
            entry("global_max", globalMaxPool()),
            entry("global_avg", globalAvgPool()),
            entry("batch_norm", batchNorm()),
            entry("batch_norm_training", batchNorm()),
            entry("layer_norm", layerNorm()),
            entry("group_norm", groupNorm(2)),
            entry("rnn", rnn(3)),
            entry("lstm", lstm(3).sequences()),
            entry("lstm_last", lstm(3).reversed()),
            entry("gru", gru(3).sequences()),
            entry("bidirectional", bidirectional(lstm(2)).sequences()),
            entry("embedding", embedding(7, 3)),
            entry("attention", attention(2)),
            entry("causal_attention", causalAttention(2)),
            entry("relu", activation(Value::relu)),
            entry("gelu", activation(Value::gelu)),
            entry("silu", activation(Value::silu)),
            entry("elu", activation(Value::elu)),
            entry("softplus", activation(Value::softplus)),
            entry("sigmoid", activation(Value::sigmoid)),
            entry("softmax", activation(Value::softmax)),
            entry("log_softmax", activation(Value::logSoftmax)),
            entry("leaky_relu", activation(x -> x.leakyRelu(0.25))));

    KerasTest() {
        super("keras.safetensors", LAYERS);
    }

    @Test
    void theFusedCellIsThatOfKerasInFloats() {
        check("lstm", fusedLstm(3).sequences(), DType.F32);
        check("lstm_last", fusedLstm(3).reversed(), DType.F32);
    }

    @Test
    void layersInFloatsAreThoseOfKeras() {
        for (String name : Set.of("conv1", "conv2", "conv3", "depthwise2", "batch_norm_training", "gru", "attention"))
            check(name, DType.F32);
    }
}
