package dev.oxbow.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.train.Epoch;
import dev.oxbow.train.Experiment;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.optimizer.Optimizer;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each example, on small data. */
final class ExamplesTest {

    @Test
    void digitsAreLearned() {
        assertTrue(accuracy(new DigitsExample(), 6) > 0.95);
    }

    @Test
    void digitsAreLearnedRowByRow() {
        assertTrue(accuracy(new LstmExample(), 6) > 0.9);
    }

    private static double accuracy(Experiment e, int epochs) {
        Experiment.About about = e.about();
        try (Experiment.Data data = e.data(1);
                Trainer t = e.trainer(Optimizer.adam(about.rate()), 1).start()) {
            t.fit(data.train().shuffled(about.batch(), 1), epochs);
            return t.evaluate(data.test().batches(64)).get("accuracy");
        }
    }

    /** Trains on what is in a folder; the loss must fall. */
    private static void learns(Experiment e, Path folder, int train, int test, int epochs) {
        System.setProperty("oxbow.data", folder.toString());
        try (Experiment.Data data = e.data(1);
                Trainer t = e.trainer(e.optimizer(e.about().rate() / 4, 100), 1).start()) {
            assertEquals(train, data.train().size());
            assertEquals(test, data.test().size());
            List<Epoch> history = t.fit(data.train().shuffled(20, 1), epochs);
            assertTrue(history.getLast().loss() < history.getFirst().loss(), history::toString);
            assertTrue(t.evaluate(data.test().batches(20)).get("loss") > 0);
            e.show(t, 1).forEach(line -> assertTrue(line.length() <= 400));
        } finally {
            System.clearProperty("oxbow.data");
        }
    }

    @Test
    void mnistIsReadAndTrainedOn(@TempDir Path folder) throws IOException {
        Path set = Files.createDirectories(folder.resolve("mnist"));
        write(set, "train", 40);
        write(set, "t10k", 10);
        learns(new MnistExample(), folder, 40, 10, 3);
    }

    @Test
    void cifarIsReadAndTrainedOn(@TempDir Path folder) throws IOException {
        Path set = Files.createDirectories(folder.resolve("cifar10"));
        try (OutputStream tar = new GZIPOutputStream(Files.newOutputStream(set.resolve("cifar-10-binary.tar.gz")))) {
            for (int i = 1; i <= 5; i++) entry(tar, "cifar-10-batches-bin/data_batch_" + i + ".bin", 4);
            entry(tar, "cifar-10-batches-bin/readme.html", 0);
            entry(tar, "cifar-10-batches-bin/test_batch.bin", 6);
            tar.write(new byte[1024]);
        }
        learns(new CifarExample(), folder, 20, 6, 4);
    }

    /** A file of images whose colour tells their class, in a tar archive. */
    private static void entry(OutputStream tar, String name, int images) throws IOException {
        Random random = new Random(images);
        byte[] content = new byte[images * 3073];
        for (int i = 0; i < images; i++) {
            int label = random.nextInt(10);
            Arrays.fill(content, i * 3073, (i + 1) * 3073, (byte) (25 * label));
            content[i * 3073] = (byte) label;
        }
        byte[] header = new byte[512];
        System.arraycopy(name.getBytes(StandardCharsets.US_ASCII), 0, header, 0, name.length());
        byte[] size = "%011o".formatted(content.length).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(size, 0, header, 124, size.length);
        tar.write(header);
        tar.write(content);
        tar.write(new byte[-content.length & 511]);
    }

    @Test
    void textIsLearnedAndWritten(@TempDir Path folder) throws IOException {
        Path set = Files.createDirectories(folder.resolve("shakespeare"));
        Files.writeString(set.resolve("tinyshakespeare.txt"), "To be, or not to be: that is the question\n".repeat(40));
        learns(new ShakespeareExample(), folder, 46, 2, 2);
    }

    @Test
    void incomesAreLearned(@TempDir Path folder) throws IOException {
        Path set = Files.createDirectories(folder.resolve("adult"));
        Random random = new Random(3);
        for (String file : List.of("adult.data", "adult.test")) {
            StringBuilder rows = new StringBuilder(file.endsWith("test") ? "|1x3 Cross validator\n" : "");
            for (int i = 0; i < 100; i++) {
                boolean rich = random.nextBoolean();
                rows.append(
                        "%d, Private, 77516, %s, %d, Never-married, Sales, Husband, White, Male, 0, 0, 40, Peru, %s%n"
                                .formatted(
                                        20 + random.nextInt(40),
                                        rich ? "Masters" : "11th",
                                        rich ? 14 : 7,
                                        rich ? ">50K" : "<=50K"));
            }
            Files.writeString(set.resolve(file), rows.append('\n'));
        }
        learns(new AdultExample(), folder, 100, 100, 3);
    }

    @Test
    void whatIsNotThereIsSaidWithTheCommandThatGetsIt(@TempDir Path folder) {
        System.setProperty("oxbow.data", folder.toString());
        try {
            OxbowException e = assertThrows(OxbowException.class, () -> new AdultExample().data(1));
            assertTrue(e.getMessage().endsWith("run ./oxbow data get adult --from FOLDER"), e.getMessage());
        } finally {
            System.clearProperty("oxbow.data");
        }
    }

    @Test
    void theFirstProgramOfTheWhitePaperRuns() {
        List<Float> costs = WhitePaper.costs(10, 1);
        assertEquals(10, costs.size());
        assertTrue(costs.stream().allMatch(c -> c > 0 && c < 500), costs::toString);
        assertEquals(costs, WhitePaper.costs(10, 1));
    }

    @Test
    void aLineIsFittedByNodesAlone() {
        float[] line = LowLevelGraph.fitted(200);
        assertEquals(3, line[0], 1e-3);
        assertEquals(2, line[1], 1e-3);
    }

    @Test
    void anExampleHasAtMostAHundredLines() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/main/java/dev/oxbow/examples"))) {
            for (Path f : files.toList()) {
                long lines = Files.readAllLines(f).size();
                assertTrue(lines <= 100, f + " has " + lines + " lines");
            }
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
