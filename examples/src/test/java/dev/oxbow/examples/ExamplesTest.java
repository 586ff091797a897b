package dev.oxbow.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.train.Trainer;
import dev.oxbow.train.optimizer.Optimizer;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each example, on small data. */
final class ExamplesTest {

    @Test
    void digitsAreLearned() {
        Example example = new DigitsExample();
        Example.Task task = example.task(Optimizer.adam(0.003), 1);
        try (Trainer t = task.trainer().start()) {
            t.fit(task.train().shuffled(32, 1), 6);
            double accuracy = t.evaluate(task.test().batches(64)).get("accuracy");
            assertTrue(accuracy > 0.95, "accuracy " + accuracy);
        }
    }

    @Test
    void mnistIsReadAndTrainedOn(@TempDir Path folder) throws IOException {
        Path set = Files.createDirectories(folder.resolve("mnist"));
        write(set, "train", 40);
        write(set, "t10k", 10);
        System.setProperty("oxbow.data", folder.toString());
        Example.Task task;
        try {
            task = new MnistExample().task(Optimizer.adam(0.001), 1);
        } finally {
            System.clearProperty("oxbow.data");
        }
        assertEquals(40, task.train().size());
        try (Trainer t = task.trainer().start()) {
            double before = t.evaluate(task.train().batches(20)).get("loss");
            t.fit(task.train().shuffled(20, 1), 3);
            double after = t.evaluate(task.train().batches(20)).get("loss");
            assertTrue(after < before, before + " -> " + after);
        }
    }

    /** Images whose brightness tells their class. */
    private static void write(Path folder, String part, int n) throws IOException {
        Random random = new Random(n);
        try (var images = zipped(folder.resolve(part + "-images-idx3-ubyte.gz"));
                var labels = zipped(folder.resolve(part + "-labels-idx1-ubyte.gz"))) {
            images.writeInt(0x0803);
            for (int d : new int[] {n, 28, 28}) images.writeInt(d);
            labels.writeInt(0x0801);
            labels.writeInt(n);
            for (int i = 0; i < n; i++) {
                int label = random.nextInt(10);
                labels.write(label);
                for (int p = 0; p < 28 * 28; p++) images.write(25 * label + random.nextInt(25));
            }
        }
    }

    private static DataOutputStream zipped(Path file) throws IOException {
        return new DataOutputStream(new GZIPOutputStream(Files.newOutputStream(file)));
    }
}
