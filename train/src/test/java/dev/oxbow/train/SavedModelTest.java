package dev.oxbow.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.export.SavedModel;
import dev.oxbow.train.optimizer.Optimizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Models that TensorFlow 2.21 saved (train/record/saved_models.py), called and trained further here. */
final class SavedModelTest {
    private static final Path MODELS = Path.of("src", "test", "answers", "saved-models.zip");

    @TempDir
    private Path work;

    @BeforeEach
    void unpack() throws IOException {
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(MODELS))) {
            for (ZipEntry e = in.getNextEntry(); e != null; e = in.getNextEntry()) {
                Path to = work.resolve(e.getName());
                Files.createDirectories(to.getParent());
                Files.copy(in, to);
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> everyModelGivesTensorFlowsAnswers() {
        return Stream.of("cnn", "exported", "lstm", "transformer", "lookup", "ragged")
                .map(n -> DynamicTest.dynamicTest(n, () -> {
                    try (SavedModel model = SavedModel.load(work.resolve(n))) {
                        equal(model, answers(n));
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> modelsAreTrainedFurtherAndSavedAgain() {
        return Stream.of("cnn", "exported").map(n -> DynamicTest.dynamicTest(n, () -> train(n)));
    }

    private void train(String name) throws IOException {
        Map<String, Tensor> inputs = values(answers(name).getAsJsonObject("inputs"));
        Path saved = work.resolve(name + "-trained");
        float[] last;
        try (SavedModel model = SavedModel.load(work.resolve(name))) {
            List<Parameter> trainable = model.trainable(SavedModel.SERVING);
            assertEquals(
                    6,
                    trainable.size(),
                    () -> trainable.stream().map(Parameter::name).toList() + "");
            SavedModel.Signature s = model.signature(SavedModel.SERVING);
            Value y = Value.of(s.outputs().get("output_0"));
            Value loss = y.slice(1, 0, 1).mean(0, 1);
            List<Value> handles = trainable.stream().map(Parameter::handle).toList();
            List<Value> gradients = Gradients.of(List.of(loss), handles);
            Value step = Ops.in(model.graph()).constant(0L);
            List<Node> updates =
                    Optimizer.sgd(0.5).apply(trainable, gradients, step).nodes();
            double first = loss(model, loss, inputs);
            for (int i = 0; i < 20; i++)
                feed(model, inputs).target(updates.toArray(Node[]::new)).run().close();
            assertTrue(loss(model, loss, inputs) < first / 2, () -> "the loss does not fall from " + first);
            try (Results r = model.call(SavedModel.SERVING, inputs)) {
                last = r.get(0).floats();
            }
            model.save(saved);
        }
        try (SavedModel again = SavedModel.load(saved);
                Results r = again.call(SavedModel.SERVING, inputs)) {
            assertArrayEquals(last, r.get(0).floats(), 1e-6f);
        }
    }

    @Test
    void whatIsNotThereIsSaid() throws IOException {
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(OxbowException.class, () -> SavedModel.load(work.resolve("none")))
                        .code());
        OxbowException e =
                assertThrows(OxbowException.class, () -> SavedModel.load(work.resolve("cnn"), "serve", "gpu"));
        assertTrue(e.getMessage().contains("there are [[serve]]"), e.getMessage());
        try (SavedModel model = SavedModel.load(work.resolve("lstm"))) {
            assertThrows(OxbowException.class, () -> model.call("other", Map.of()));
            e = assertThrows(OxbowException.class, () -> model.call(SavedModel.SERVING, Map.of()));
            assertTrue(e.getMessage().contains("takes [x], given are []"), e.getMessage());
        }
        Files.write(work.resolve("lstm/saved_model.pb"), new byte[] {1, 2, 3});
        assertThrows(OxbowException.class, () -> SavedModel.load(work.resolve("lstm")));
    }

    private static Session.Run feed(SavedModel model, Map<String, Tensor> inputs) {
        var run = model.session().target();
        inputs.forEach((name, t) ->
                run.feed(model.signature(SavedModel.SERVING).inputs().get(name), t));
        return run;
    }

    private static double loss(SavedModel model, Value loss, Map<String, Tensor> inputs) {
        try (Results r = feed(model, inputs).fetch(loss.edge()).run()) {
            return r.get(0).getDouble(0);
        }
    }

    private JsonObject answers(String model) throws IOException {
        return JsonParser.parseString(Files.readString(work.resolve(model).resolve("answers.json")))
                .getAsJsonObject();
    }

    private static void equal(SavedModel model, JsonObject answers) {
        Map<String, Tensor> wanted = values(answers.getAsJsonObject("outputs"));
        try (Results results = model.call(SavedModel.SERVING, values(answers.getAsJsonObject("inputs")))) {
            List<String> names = new ArrayList<>(
                    model.signature(SavedModel.SERVING).outputs().keySet());
            assertEquals(wanted.keySet(), Set.copyOf(names));
            for (int i = 0; i < names.size(); i++) {
                Tensor w = wanted.get(names.get(i)), got = results.get(i);
                assertEquals(w.shape(), got.shape(), names.get(i));
                assertEquals(w.dtype(), got.dtype(), names.get(i));
                for (long k = 0; k < w.size(); k++)
                    assertEquals(
                            w.getDouble(k),
                            got.getDouble(k),
                            1e-5 * Math.max(1, Math.abs(w.getDouble(k))),
                            names.get(i));
            }
        }
    }

    private static Map<String, Tensor> values(JsonObject all) {
        Map<String, Tensor> values = new LinkedHashMap<>();
        for (String name : all.keySet()) {
            JsonObject v = all.getAsJsonObject(name);
            JsonArray dims = v.getAsJsonArray("shape"), flat = v.getAsJsonArray("values");
            long[] shape = new long[dims.size()];
            for (int i = 0; i < shape.length; i++) shape[i] = dims.get(i).getAsLong();
            Shape s = Shape.of(shape);
            if (v.get("dtype").getAsString().equals("string")) {
                String[] texts = new String[flat.size()];
                for (int i = 0; i < texts.length; i++) texts[i] = flat.get(i).getAsString();
                values.put(name, Tensor.of(s, texts));
                continue;
            }
            Tensor t = Tensor.allocate(
                    switch (v.get("dtype").getAsString()) {
                        case "float32" -> DType.F32;
                        case "int64" -> DType.I64;
                        case "int32" -> DType.I32;
                        default -> throw new AssertionError(v);
                    },
                    s);
            for (int i = 0; i < flat.size(); i++) {
                if (t.dtype() == DType.F32) t.set(i, flat.get(i).getAsDouble());
                else t.setLong(i, flat.get(i).getAsLong());
            }
            values.put(name, t);
        }
        return values;
    }
}
