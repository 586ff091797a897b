package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.sequential;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.export.Export;
import dev.oxbow.train.export.Weights;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.wire.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values of other software on their way into a model, and back. */
final class WeightsTest {
    @TempDir
    private Path folder;

    private static Trainer trainer() {
        Model model = Model.of(Input.floats("x", 3), sequential(dense(2), dense(1)), 1);
        return Trainer.of(model, Losses.squaredError(), Optimizer.sgd(0.1)).start();
    }

    /** The names and the layout of PyTorch: [out, in]. */
    private Path theirs() {
        Path file = folder.resolve("theirs.safetensors");
        SafeTensors.write(
                file,
                Map.of(
                        "layers.1.weight", Tensor.of(Shape.of(2, 3), 1f, 2f, 3f, 4f, 5f, 6f),
                        "layers.1.bias", Tensor.of(Shape.of(2), 7f, 8f)),
                Map.of());
        return file;
    }

    @Test
    void valuesComeInByMappedNamesAndTurned() {
        try (Trainer t = trainer();
                Weights w = Weights.safetensors(theirs())
                        .renamed("layers\\.(\\d+)\\.weight", "dense$1/kernel")
                        .renamed("layers\\.(\\d+)\\.bias", "dense$1/bias")
                        .transposed(".*/kernel");
                Checkpoint before = t.checkpoint()) {
            t.load(w.values());
            try (Checkpoint c = t.checkpoint()) {
                assertArrayEquals(
                        new float[] {1, 4, 2, 5, 3, 6},
                        c.values().get("dense1/kernel").floats());
                assertArrayEquals(
                        new float[] {7, 8}, c.values().get("dense1/bias").floats());
                assertArrayEquals(
                        before.values().get("dense2/kernel").floats(),
                        c.values().get("dense2/kernel").floats());
            }
        }
    }

    @Test
    void aNameOrAShapeThatTheModelDoesNotHaveIsRefused() {
        try (Trainer t = trainer();
                Weights w = Weights.safetensors(theirs())) {
            OxbowException e = assertThrows(OxbowException.class, () -> t.load(w.values()));
            assertTrue(e.getMessage().startsWith("Trainer: the model has no parameter 'layers.1."), e.getMessage());
            Map<String, Tensor> wrong = Map.of("dense1/bias", Tensor.of(Shape.of(3), 1f, 2f, 3f));
            e = assertThrows(OxbowException.class, () -> t.load(wrong));
            assertTrue(e.getMessage().contains("f32[3] for 'dense1/bias', which is f32[2]"), e.getMessage());
        }
    }

    @Test
    void twoValuesOfOneNameAreRefused() {
        try (Weights w = Weights.safetensors(theirs())) {
            OxbowException e = assertThrows(OxbowException.class, () -> w.renamed(".*", "same"));
            assertEquals("Weights: 'same' is the new name of two values", e.getMessage());
        }
    }

    @Test
    void whatWasExportedComesBack() throws IOException {
        Path safetensors = folder.resolve("a.safetensors"), npz = folder.resolve("a.npz");
        try (Trainer t = trainer();
                Trainer other = trainer();
                Export e = Export.of(t)) {
            e.safetensors(safetensors);
            e.npz(npz);
            for (Path file : new Path[] {safetensors, npz})
                try (Weights w = file == npz ? Weights.npz(file) : Weights.safetensors(file);
                        Checkpoint want = t.checkpoint()) {
                    other.load(w.values());
                    try (Checkpoint got = other.checkpoint()) {
                        want.values()
                                .forEach((name, v) -> assertArrayEquals(
                                        v.bytes(), got.values().get(name).bytes(), name));
                    }
                }
        }
        try (var files = Files.list(folder)) {
            assertEquals(2, files.count(), "nothing else is left");
        }
    }
}
