package dev.oxbow.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.tensor.DType;
import dev.oxbow.train.layer.Layer;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Layers against answers of another system in a file, by the names of cases: outputs and all gradients. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RecordedLayers {
    private final String file;
    private final Map<String, Layer> layers;
    private LayerAnswers answers;

    RecordedLayers(String file, Map<String, Layer> layers) {
        this.file = file;
        this.layers = new TreeMap<>(layers);
    }

    @BeforeAll
    void open() {
        answers = new LayerAnswers(file);
    }

    @AfterAll
    void close() {
        answers.close();
    }

    Set<String> cases() {
        return layers.keySet();
    }

    /** The one in which a case was recorded, where the layer has it. */
    DType dtype(String name) {
        return answers.dtype(name);
    }

    /** Compares the layer of a case with its answers. */
    void check(String name, DType dtype) {
        check(name, layers.get(name), dtype);
    }

    void check(String name, Layer layer, DType dtype) {
        answers.check(name, layer, dtype, !name.equals("batch_norm"));
    }

    @Test
    void everyAnswerHasItsLayer() {
        assertEquals(answers.cases(), cases());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void outputsAndGradientsAreThoseThatWereRecorded(String name) {
        check(name, dtype(name));
    }
}
