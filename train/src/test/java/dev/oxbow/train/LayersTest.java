package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.activation;
import static dev.oxbow.train.layer.Layers.attention;
import static dev.oxbow.train.layer.Layers.avgPool;
import static dev.oxbow.train.layer.Layers.batchNorm;
import static dev.oxbow.train.layer.Layers.bidirectional;
import static dev.oxbow.train.layer.Layers.causalAttention;
import static dev.oxbow.train.layer.Layers.concat;
import static dev.oxbow.train.layer.Layers.conv;
import static dev.oxbow.train.layer.Layers.convTransposed;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.depthwise;
import static dev.oxbow.train.layer.Layers.dropout;
import static dev.oxbow.train.layer.Layers.embedding;
import static dev.oxbow.train.layer.Layers.flatten;
import static dev.oxbow.train.layer.Layers.fusedLstm;
import static dev.oxbow.train.layer.Layers.globalAvgPool;
import static dev.oxbow.train.layer.Layers.globalMaxPool;
import static dev.oxbow.train.layer.Layers.groupNorm;
import static dev.oxbow.train.layer.Layers.gru;
import static dev.oxbow.train.layer.Layers.layerNorm;
import static dev.oxbow.train.layer.Layers.lstm;
import static dev.oxbow.train.layer.Layers.maxPool;
import static dev.oxbow.train.layer.Layers.positions;
import static dev.oxbow.train.layer.Layers.residual;
import static dev.oxbow.train.layer.Layers.rnn;
import static dev.oxbow.train.layer.Layers.separable;
import static dev.oxbow.train.layer.Layers.sequential;
import static dev.oxbow.train.layer.Layers.shared;
import static dev.oxbow.train.layer.Layers.sinusoids;
import static dev.oxbow.train.layer.Layers.sum;
import static dev.oxbow.train.layer.Layers.timeDistributed;
import static dev.oxbow.train.layer.Layers.transformerBlock;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.layer.Layer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each layer: the shape it gives, what it learns, and its gradients against central differences in f64. */
final class LayersTest {

    /** A layer with an input, the output it must have, and the names of its parameters in a sequence. */
    private enum Case {
        DENSE(dense(4, Value::tanh), dims(3, 5), dims(3, 4), "dense1/kernel", "dense1/bias"),
        DENSE_OVER_TIME(dense(4).withoutBias(), dims(2, 3, 5), dims(2, 3, 4), "dense1/kernel"),
        CONV_OF_SEQUENCES(conv(3, 3).stride(2), dims(2, 5, 2), dims(2, 3, 3), "conv1/kernel", "conv1/bias"),
        CONV_OF_IMAGES(conv(3, 3).unpadded(), dims(2, 5, 4, 2), dims(2, 3, 2, 3), "conv1/kernel", "conv1/bias"),
        CONV_DILATED(conv(2, 2).dilation(2).withoutBias(), dims(2, 5, 5, 1), dims(2, 5, 5, 2), "conv1/kernel"),
        CONV_OF_VOLUMES(conv(2, 2).stride(2), dims(1, 4, 3, 2, 2), dims(1, 2, 2, 1, 2), "conv1/kernel", "conv1/bias"),
        TRANSPOSED_SEQUENCES(
                convTransposed(3, 3).stride(2), dims(2, 4, 2), dims(2, 8, 3), "conv1/kernel", "conv1/bias"),
        TRANSPOSED_IMAGES(
                convTransposed(2, 3).stride(2).unpadded(),
                dims(2, 2, 3, 3),
                dims(2, 5, 7, 2),
                "conv1/kernel",
                "conv1/bias"),
        TRANSPOSED_VOLUMES(
                convTransposed(2, 2).stride(2).withoutBias(), dims(1, 2, 1, 2, 3), dims(1, 4, 2, 4, 2), "conv1/kernel"),
        DEPTHWISE_SEQUENCES(depthwise(3), dims(2, 5, 3), dims(2, 5, 3), "depthwise1/kernel", "depthwise1/bias"),
        DEPTHWISE_IMAGES(
                depthwise(3).stride(2).unpadded(),
                dims(2, 5, 5, 2),
                dims(2, 2, 2, 2),
                "depthwise1/kernel",
                "depthwise1/bias"),
        SEPARABLE(
                separable(4, 3, Value::tanh),
                dims(2, 4, 4, 3),
                dims(2, 4, 4, 4),
                "separable1/depthwise/kernel",
                "separable1/pointwise/kernel",
                "separable1/pointwise/bias"),
        MAX_POOL_OF_SEQUENCES(maxPool(3).stride(2).padded(), dims(2, 5, 2), dims(2, 3, 2)),
        MAX_POOL_OF_IMAGES(maxPool(2), dims(2, 5, 4, 2), dims(2, 2, 2, 2)),
        AVG_POOL_OF_SEQUENCES(avgPool(2), dims(2, 5, 2), dims(2, 2, 2)),
        AVG_POOL_OF_IMAGES(avgPool(3).stride(2).padded(), dims(2, 5, 4, 2), dims(2, 3, 2, 2)),
        AVG_POOL_OF_VOLUMES(avgPool(2), dims(1, 4, 2, 3, 2), dims(1, 2, 1, 1, 2)),
        GLOBAL_MAX_POOL(globalMaxPool(), dims(2, 3, 4, 2), dims(2, 2)),
        GLOBAL_AVG_POOL(globalAvgPool(), dims(2, 6, 3), dims(2, 3)),
        BATCH_NORM(batchNorm(), dims(4, 3), dims(4, 3), "norm1/scale", "norm1/offset"),
        BATCH_NORM_OF_IMAGES(batchNorm(), dims(2, 3, 2, 3), dims(2, 3, 2, 3), "norm1/scale", "norm1/offset"),
        LAYER_NORM(layerNorm(), dims(2, 3, 4), dims(2, 3, 4), "norm1/scale", "norm1/offset"),
        GROUP_NORM(groupNorm(2), dims(2, 3, 2, 4), dims(2, 3, 2, 4), "norm1/scale", "norm1/offset"),
        DROPOUT(dropout(0.4), dims(3, 4), dims(3, 4)),
        GELU(activation(Value::gelu), dims(3, 4), dims(3, 4)),
        SILU(activation(Value::silu), dims(3, 4), dims(3, 4)),
        ELU(activation(Value::elu), dims(3, 4), dims(3, 4)),
        LEAKY_RELU(activation(x -> x.leakyRelu(0.25)), dims(3, 4), dims(3, 4)),
        SOFTMAX(activation(Value::softmax), dims(3, 4), dims(3, 4)),
        ATTENTION(
                attention(2),
                dims(2, 3, 4),
                dims(2, 3, 4),
                "attention1/query/kernel",
                "attention1/query/bias",
                "attention1/key/kernel",
                "attention1/key/bias",
                "attention1/value/kernel",
                "attention1/value/bias",
                "attention1/output/kernel",
                "attention1/output/bias"),
        POSITIONS(positions(6), dims(2, 4, 3), dims(2, 4, 3), "positions1/table"),
        SINUSOIDS(sinusoids(), dims(2, 4, 3), dims(2, 4, 3)),
        RNN(rnn(3), dims(2, 4, 2), dims(2, 3), "rnn1/input/kernel", "rnn1/input/bias", "rnn1/recurrent"),
        GRU(
                gru(3).sequences(),
                dims(2, 4, 2),
                dims(2, 4, 3),
                "gru1/input/kernel",
                "gru1/input/bias",
                "gru1/recurrent",
                "gru1/recurrent_bias"),
        LSTM(
                lstm(3).sequences(),
                dims(2, 4, 2),
                dims(2, 4, 3),
                "lstm1/input/kernel",
                "lstm1/input/bias",
                "lstm1/recurrent"),
        LSTM_BACKWARDS(
                lstm(3).reversed(),
                dims(2, 4, 2),
                dims(2, 3),
                "lstm1/input/kernel",
                "lstm1/input/bias",
                "lstm1/recurrent"),
        BIDIRECTIONAL(
                bidirectional(rnn(2)).sequences(),
                dims(2, 3, 2),
                dims(2, 3, 4),
                "bidirectional1/forward/input/kernel",
                "bidirectional1/forward/input/bias",
                "bidirectional1/forward/recurrent",
                "bidirectional1/backward/input/kernel",
                "bidirectional1/backward/input/bias",
                "bidirectional1/backward/recurrent"),
        CONCAT(
                concat(dense(2), dense(3).withoutBias().named("side")),
                dims(3, 4),
                dims(3, 5),
                "branches1/dense1/kernel",
                "branches1/dense1/bias",
                "branches1/side/kernel"),
        SUM(
                sum(dense(2).withoutBias(), dense(2).withoutBias()),
                dims(3, 4),
                dims(3, 2),
                "branches1/dense1/kernel",
                "branches1/dense2/kernel"),
        TIME_DISTRIBUTED(
                timeDistributed(sequential(flatten(), dense(2))),
                dims(2, 3, 2, 2),
                dims(2, 3, 2),
                "sequence1/dense1/kernel",
                "sequence1/dense1/bias"),
        RESIDUAL(residual(dense(4).withoutBias()), dims(3, 4), dims(3, 4), "residual1/kernel");

        private final Layer layer;
        private final long[] input;
        private final long[] output;
        private final String[] names;

        Case(Layer layer, long[] input, long[] output, String... names) {
            this.layer = layer;
            this.input = input;
            this.output = output;
            this.names = names;
        }
    }

    private static long[] dims(long... d) {
        return d;
    }

    @ParameterizedTest
    @EnumSource(Case.class)
    void aLayerHasItsShapeItsNamesAndItsGradients(Case c) {
        try (LayerCheck check = LayerCheck.of(sequential(c.layer), c.input)) {
            check.gives(c.output).learns(c.names).differentiates();
        }
    }

    @Test
    void anEmbeddingHasGradientsOfTheRowsThatWereLookedUp() {
        try (LayerCheck check = LayerCheck.ofIntegers(sequential(embedding(7, 3)), 7, 2, 4)) {
            check.gives(2, 4, 3).learns("embedding1/table").differentiates();
        }
    }

    @Test
    void layersWithoutKernelsForDoublesHaveTheirGradientsInFloats() {
        try (LayerCheck check = LayerCheck.inFloats(sequential(maxPool(2)), 1, 4, 2, 2, 2)) {
            check.gives(1, 2, 1, 1, 2).differentiates();
        }
        try (LayerCheck check = LayerCheck.inFloats(sequential(fusedLstm(3).sequences()), 2, 4, 2)) {
            check.gives(2, 4, 3)
                    .learns("lstm1/input/kernel", "lstm1/input/bias", "lstm1/recurrent")
                    .differentiates();
        }
        try (LayerCheck check = LayerCheck.inFloats(sequential(batchNorm()), 2, 3, 2, 3)) {
            check.gives(2, 3, 2, 3).differentiates();
        }
    }

    @Test
    void theFusedCellIsTheLoop() {
        for (boolean backwards : new boolean[] {false, true})
            for (boolean all : new boolean[] {false, true}) {
                var loop = all ? lstm(3).sequences() : lstm(3);
                var fused = all ? fusedLstm(3).sequences() : fusedLstm(3);
                try (LayerCheck a = LayerCheck.inFloats(sequential(backwards ? loop.reversed() : loop), 2, 4, 5);
                        LayerCheck b = LayerCheck.inFloats(sequential(backwards ? fused.reversed() : fused), 2, 4, 5)) {
                    for (int i = 0; i < a.model().parameters().size(); i++)
                        b.assign(
                                b.model().parameters().get(i),
                                a.value(a.model().parameters().get(i)));
                    for (long i = 0; i < a.input().size(); i++)
                        b.input().set(i, a.input().getDouble(i));
                    assertArrayEquals(a.evaluated(), b.evaluated(), 1e-6);
                }
            }
    }

    @Test
    void aTransformerBlockDifferentiates() {
        try (LayerCheck check = LayerCheck.of(transformerBlock(causalAttention(2), 8), 1, 3, 4)) {
            check.gives(1, 3, 4).differentiates();
        }
    }

    @Test
    void causalAttentionDoesNotLookAhead() {
        try (LayerCheck check = LayerCheck.of(causalAttention(2), 1, 3, 4)) {
            double[] before = check.evaluated();
            check.input().set(8, 5); // the last of three positions
            double[] after = check.evaluated();
            assertArrayEquals(Arrays.copyOf(before, 8), Arrays.copyOf(after, 8), 1e-12);
            assertTrue(Math.abs(before[8] - after[8]) > 1e-3);
        }
    }

    @Test
    void dropoutDropsInTrainingOnly() {
        try (LayerCheck check = LayerCheck.of(dropout(0.5), 20, 20)) {
            double[] x = new double[400], y = check.trained();
            Arrays.setAll(x, i -> check.input().getDouble(i));
            assertArrayEquals(x, check.evaluated());
            int dropped = 0;
            for (int i = 0; i < x.length; i++) {
                if (y[i] == 0) dropped++;
                else assertEquals(2 * x[i], y[i], 1e-12);
            }
            assertTrue(dropped > 160 && dropped < 240, dropped + " of 400 dropped");
        }
    }

    @Test
    void batchNormLooksAtTheBatchInTrainingOnly() {
        try (LayerCheck check = LayerCheck.of(batchNorm(), 3, 1)) {
            Tensor x = check.input();
            double[] values = {1, 2, 6};
            for (int i = 0; i < 3; i++) x.set(i, values[i]);
            check.model().parameters().forEach(p -> {
                Tensor one = check.value(p);
                one.set(0, p.name().equals("scale") ? 1 : 0);
                check.assign(p, one);
            });
            double deviation = Math.sqrt(14.0 / 3 + 1e-3); // the mean is 3
            assertArrayEquals(new double[] {-2 / deviation, -1 / deviation, 3 / deviation}, check.trained(), 1e-12);
            double kept = Math.sqrt(1 + 1e-3); // moments start with 0 and 1
            assertArrayEquals(new double[] {1 / kept, 2 / kept, 6 / kept}, check.evaluated(), 1e-12);
        }
    }

    @Test
    void aSharedLayerHasOneSetOfParameters() {
        Layer once = shared(dense(3).withoutBias());
        try (LayerCheck check = LayerCheck.of(sequential(once, activation(Value::tanh), once), 2, 3)) {
            check.gives(2, 3).learns("dense1/kernel").differentiates();
        }
    }

    @Test
    void aLayerThatCanNotBeSaysWhy() {
        OxbowException e = assertThrows(OxbowException.class, () -> LayerCheck.of(groupNorm(3), 2, 4, 4));
        assertTrue(e.getMessage().contains("GroupNorm: 4 channels can not be split into 3 groups"), e.getMessage());
        e = assertThrows(OxbowException.class, () -> LayerCheck.of(conv(3, 3), 2, 4));
        assertTrue(e.getMessage().contains("Conv: needs [batch, time, channels]"), e.getMessage());
    }
}
