package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.activation;
import static dev.oxbow.train.layer.Layers.attention;
import static dev.oxbow.train.layer.Layers.avgPool;
import static dev.oxbow.train.layer.Layers.causalAttention;
import static dev.oxbow.train.layer.Layers.conv;
import static dev.oxbow.train.layer.Layers.convTransposed;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.depthwise;
import static dev.oxbow.train.layer.Layers.embedding;
import static dev.oxbow.train.layer.Layers.globalAvgPool;
import static dev.oxbow.train.layer.Layers.globalMaxPool;
import static dev.oxbow.train.layer.Layers.groupNorm;
import static dev.oxbow.train.layer.Layers.gru;
import static dev.oxbow.train.layer.Layers.layerNorm;
import static dev.oxbow.train.layer.Layers.lstm;
import static dev.oxbow.train.layer.Layers.maxPool;
import static dev.oxbow.train.layer.Layers.rnn;
import static java.util.Map.entry;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.train.layer.BatchNorm;
import dev.oxbow.train.layer.Layer;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Layers against answers of PyTorch, which {@code train/record/torch_layers.py} records: outputs and all gradients. */
final class TorchTest extends RecordedLayers {
    private static final Map<String, Layer> LAYERS = Map.ofEntries(
            entry("dense", dense(4, Value::tanh)),
            entry("dense_time", dense(4).withoutBias()),
            entry("conv1", conv(3, 3)),
            entry("conv2", conv(3, 3).unpadded()),
            entry("conv2_same", conv(3, 3)),
            entry("conv2_stride", conv(3, 3).stride(2).unpadded()),
            entry("conv2_dilated", conv(2, 3).dilation(2).withoutBias()),
            entry("conv3", conv(2, 2).stride(2)),
            entry("transposed1", convTransposed(3, 3).stride(2).unpadded()),
            entry("transposed2", convTransposed(2, 3).stride(2).unpadded()),
            entry("transposed3", convTransposed(2, 2).stride(2).unpadded()),
            entry("depthwise1", depthwise(3)),
            entry("depthwise2", depthwise(3).stride(2).unpadded()),
            entry("max_pool1", maxPool(3).stride(2)),
            entry("max_pool2", maxPool(2)),
            entry("max_pool3", maxPool(2)),
            entry("avg_pool1", avgPool(2)),
            entry("avg_pool2", avgPool(3).stride(2).padded()),
            entry("avg_pool3", avgPool(2)),
            entry("global_max", globalMaxPool()),
            entry("global_avg", globalAvgPool()),
            entry("batch_norm", new BatchNorm(0.9, 1e-5)),
            entry("batch_norm_training", new BatchNorm(0.9, 1e-5)),
            entry("batch_norm_images", new BatchNorm(0.9, 1e-5)),
            entry("layer_norm", layerNorm()),
            entry("group_norm", groupNorm(2)),
            entry("rnn", rnn(3)),
            entry("lstm", lstm(3).sequences()),
            entry("lstm_last", lstm(3)),
            entry("gru", gru(3).sequences()),
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

    TorchTest() {
        super("torch.safetensors", LAYERS);
    }

    /** The op of the three-dimensional pool has no f64. */
    @Override
    DType dtype(String name) {
        return name.equals("max_pool3") ? DType.F32 : super.dtype(name);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void inFloatsTheyAreEqualToFiveDigits(String name) {
        check(name, DType.F32);
    }
}
