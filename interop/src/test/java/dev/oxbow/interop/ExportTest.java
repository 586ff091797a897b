package dev.oxbow.interop;

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
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.export.Export;
import dev.oxbow.train.layer.Layer;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.tensorflow.SavedModelBundle;
import org.tensorflow.Session;

/** Every layer, with random values, gives the same in TensorFlow (frozen and as a SavedModel) and in ONNX Runtime. */
final class ExportTest {
    private static final long SEED = 20;
    private static final double CLOSE = 1e-5;
    private static final Input ROW = Input.floats("x", 6),
            SEQUENCE = Input.floats("x", 5, 4),
            IMAGE = Input.floats("x", 7, 6, 4),
            VOLUME = Input.floats("x", 4, 5, 6, 2),
            TOKENS = Input.ints("x", 5);

    private record Case(String name, Input input, Layer layer) {}

    private static final List<Case> CASES = List.of(
            new Case(
                    "dense",
                    ROW,
                    sequential(dense(5, Value::gelu), dense(3).withoutBias(), activation(Value::softmax))),
            new Case("dense over time", SEQUENCE, dense(3, Value::tanh)),
            new Case(
                    "activations",
                    ROW,
                    sum(
                            activation(Value::sigmoid),
                            activation(Value::elu),
                            activation(Value::softplus),
                            activation(Value::silu))),
            new Case("conv of sequences", SEQUENCE, conv(3, 3, Value::relu)),
            new Case(
                    "conv of images",
                    IMAGE,
                    sequential(conv(3, 3, Value::relu).stride(2), conv(2, 2).unpadded())),
            new Case("dilated conv", IMAGE, conv(3, 3).dilation(2).withoutBias()),
            new Case("conv of volumes", VOLUME, conv(3, 3).stride(2)),
            new Case(
                    "transposed conv of sequences",
                    SEQUENCE,
                    convTransposed(3, 3).stride(2)),
            new Case("transposed conv of images", IMAGE, convTransposed(3, 3).stride(2)),
            new Case(
                    "transposed conv, unpadded",
                    IMAGE,
                    convTransposed(3, 2).stride(3).unpadded()),
            new Case("transposed conv of volumes", VOLUME, convTransposed(3, 3).stride(2)),
            new Case("depthwise", IMAGE, depthwise(3)),
            new Case("separable", IMAGE, separable(3, 3, Value::relu)),
            new Case(
                    "pools",
                    IMAGE,
                    sequential(
                            maxPool(3).stride(2).padded(), avgPool(2).stride(1).padded())),
            new Case("pools without padding", IMAGE, sequential(avgPool(2), maxPool(2))),
            new Case("pools of sequences", SEQUENCE, sequential(maxPool(2).stride(1), avgPool(2))),
            new Case("pools of volumes", VOLUME, sequential(maxPool(2).stride(1), avgPool(2))),
            new Case("global pools", IMAGE, concat(globalMaxPool(), globalAvgPool())),
            new Case("batch norm of images", IMAGE, batchNorm()),
            new Case("batch norm of rows", ROW, batchNorm()),
            new Case("layer norm", SEQUENCE, layerNorm()),
            new Case("group norm", IMAGE, groupNorm(2)),
            new Case("dropout", ROW, sequential(dropout(0.5), dense(2))),
            new Case("embedding", TOKENS, sequential(embedding(9, 4), positions(8), sinusoids(), flatten(), dense(2))),
            new Case("attention", SEQUENCE, attention(2)),
            new Case("transformer block", SEQUENCE, transformerBlock(causalAttention(2), 8)),
            new Case("rnn", SEQUENCE, rnn(3)),
            new Case("gru", SEQUENCE, gru(3).sequences()),
            new Case("lstm", SEQUENCE, sequential(lstm(3).sequences(), lstm(2))),
            new Case("fused lstm", SEQUENCE, sequential(fusedLstm(3).sequences(), fusedLstm(2))),
            new Case("bidirectional lstm", SEQUENCE, bidirectional(lstm(3).sequences())),
            new Case("shared", ROW, sharedTwice()),
            new Case("residual", ROW, residual(dense(6, Value::relu))),
            new Case("time distributed", SEQUENCE, timeDistributed(sequential(dense(3, Value::relu), dense(2)))));

    private static Layer sharedTwice() {
        Layer one = shared(dense(6, Value::tanh));
        return sequential(one, one);
    }

    @TestFactory
    Stream<DynamicTest> isEqualElsewhere(@TempDir Path folder) {
        return CASES.stream().map(c -> DynamicTest.dynamicTest(c.name, () -> check(c, folder.resolve(c.name))));
    }

    private static void check(Case c, Path folder) throws Exception {
        Files.createDirectories(folder);
        Model model = Model.of(c.input, c.layer, SEED);
        Random random = new Random(SEED);
        try (Trainer trainer =
                Trainer.of(model, Losses.squaredError(), Optimizer.sgd(0.1)).start()) {
            trainer.load(randomValues(model, random));
            for (int batch : new int[] {1, 3}) {
                try (Tensor x = input(c.input, batch, random);
                        Tensor want = trainer.predict(x);
                        Export e = Export.of(trainer)) {
                    e.frozen(folder.resolve("frozen.pb"));
                    e.onnx(folder.resolve("model.onnx"));
                    e.savedModel(folder.resolve("saved"));
                    close(want, frozen(folder.resolve("frozen.pb"), x), "frozen");
                    close(want, saved(folder.resolve("saved"), x), "SavedModel");
                    close(want, onnx(folder.resolve("model.onnx"), x), "ONNX");
                }
            }
        }
    }

    /** Values that are not those that layers start with: scales that differ, variances above zero. */
    private static Map<String, Tensor> randomValues(Model model, Random random) {
        Map<String, Tensor> values = new LinkedHashMap<>();
        for (Parameter p : model.variables()) {
            Tensor t = Tensor.zeros(DType.F32, p.value().shape());
            boolean positive = p.name().endsWith("variance");
            for (long i = 0; i < t.size(); i++)
                t.set(i, positive ? 0.5 + random.nextDouble() : random.nextGaussian() / 2);
            values.put(p.name(), t);
        }
        return values;
    }

    private static Tensor input(Input in, int batch, Random random) {
        Tensor x = Tensor.zeros(in.dtype(), Shape.of(batch).concat(in.example()));
        for (long i = 0; i < x.size(); i++)
            x.set(i, in.dtype() == DType.F32 ? random.nextGaussian() : random.nextInt(9));
        return x;
    }

    private static Tensor frozen(Path file, Tensor x) throws Exception {
        try (TensorFlow theirs = new TensorFlow(Files.readAllBytes(file))) {
            return theirs.run(Map.of("x", x), List.of(Export.OUTPUT), List.of()).getFirst();
        }
    }

    private static Tensor saved(Path folder, Tensor x) {
        try (SavedModelBundle theirs = SavedModelBundle.load(folder.toString(), "serve");
                org.tensorflow.Tensor fed = TensorFlow.theirs(x)) {
            Session.Runner r = theirs.session().runner().feed("x", fed).fetch(Export.OUTPUT);
            try (var result = r.run()) {
                return TensorFlow.ours(result.get(0));
            }
        }
    }

    private static Tensor onnx(Path file, Tensor x) throws Exception {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        long[] dims = x.shape().dims();
        try (OrtSession session = environment.createSession(file.toString());
                OnnxTensor fed = x.dtype() == DType.F32
                        ? OnnxTensor.createTensor(environment, FloatBuffer.wrap(x.floats()), dims)
                        : OnnxTensor.createTensor(environment, IntBuffer.wrap(x.ints()), dims);
                OrtSession.Result result = session.run(Map.of("x", fed))) {
            OnnxTensor y = (OnnxTensor) result.get(0);
            float[] all = new float[y.getFloatBuffer().remaining()];
            y.getFloatBuffer().get(all);
            return Tensor.of(Shape.of(y.getInfo().getShape()), all);
        }
    }

    private static void close(Tensor want, Tensor got, String where) {
        assertEquals(want.shape(), got.shape(), where);
        double most = 0;
        for (long i = 0; i < want.size(); i++)
            most = Math.max(
                    most, Math.abs(want.getDouble(i) - got.getDouble(i)) / Math.max(1, Math.abs(want.getDouble(i))));
        assertTrue(most <= CLOSE, where + " differs by " + most);
        got.close();
    }
}
