package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.runtime.Engine;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training by workers that are processes. */
@Timeout(300)
final class TrainCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }

    @Test
    void workersTrainTogetherAndTheFirstTells(@TempDir Path folder) {
        Path one = folder.resolve("one.npz");
        assertEquals(0, run("train", "--optimizer", "sgd", "--epochs", "2", "--save", one.toString()), err::toString);
        assertTrue(Files.exists(one));
        int status = run(
                "train",
                "--optimizer",
                "sgd",
                "--workers",
                "2",
                "--epochs",
                "2",
                "--digest",
                "--compare",
                one.toString());
        assertEquals(0, status, () -> out + "" + err);
        List<String> lines = out.toString().lines().toList();
        assertTrue(lines.stream().anyMatch(l -> l.startsWith("2 workers, 90 steps of 32 digits, ")), out::toString);
        assertTrue(lines.stream().anyMatch(l -> l.startsWith("test accuracy ")), out::toString);
        assertTrue(lines.stream().anyMatch(l -> l.contains("rank 1 ")), out::toString);
        assertEquals(
                4,
                lines.stream()
                        .filter(l -> l.matches("\\S+ +f32\\[.*sha256 [0-9a-f]{64}"))
                        .count(),
                out::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bf16", "f16"})
    void halfPrecisionLearnsAsWell(String precision) {
        assertEquals(0, run("train", "digits", "--epochs", "4", "--precision", precision), err::toString);
        Matcher m = Pattern.compile("test accuracy ([0-9.]+) %").matcher(out.toString());
        assertTrue(m.find(), out::toString);
        assertTrue(Double.parseDouble(m.group(1)) > 93, out::toString);
    }

    @Test
    void replicasOfOneProcessEndWhereOneWorkerDoes(@TempDir Path folder) {
        Path one = folder.resolve("one.npz");
        assertEquals(0, run("train", "--optimizer", "sgd", "--epochs", "2", "--save", one.toString()), err::toString);
        int status = run(
                "train",
                "--optimizer",
                "sgd",
                "--plan",
                "replicas",
                "--devices",
                "3",
                "--epochs",
                "2",
                "--compare",
                one.toString());
        assertEquals(0, status, () -> out + "" + err);
        assertTrue(out.toString().contains("3 devices, 90 steps of 32 digits, "), out::toString);
    }

    @Test
    void workersOfServersWithTwoDevicesEachEndWhereOneWorkerDoes(@TempDir Path folder) {
        String one = folder.resolve("one.npz").toString();
        assertEquals(0, run("train", "--optimizer", "sgd", "--epochs", "2", "--save", one), err::toString);
        List<String> served = List.of("train", "--optimizer", "sgd", "--epochs", "2", "--compare", one, "--plan", "ps");
        List<String> all = new ArrayList<>(served);
        all.addAll(List.of("--workers", "2", "--servers", "2", "--devices", "2"));
        assertEquals(0, run(all.toArray(String[]::new)), () -> out + "" + err);
        assertTrue(out.toString().contains("2 workers, 90 steps of 32 digits, "), out::toString);
    }

    @Test
    void aPlanThatDoesNotFitIsAUsageError() {
        assertEquals(2, run("train", "--plan", "ring"));
        assertTrue(err.toString().startsWith("oxbow: --plan ring is for workers: give --workers, too"), err::toString);
        if (Engine.findings().stream().anyMatch(f -> !f.isThere())) {
            assertEquals(2, run("train", "--device", "gpu"));
            assertTrue(err.toString().contains("--device gpu: there is no card"), err::toString);
        }
        assertEquals(2, run("train", "--devices", "0"));
        assertTrue(err.toString().contains("--devices must be at least 1, got 0"), err::toString);
    }

    @Test
    void aLossThatIsNoNumberStopsWithTheNodeThatMadeIt() {
        assertEquals(3, run("train", "--optimizer", "sgd", "--rate", "1e38", "--epochs", "3"), err::toString);
        assertTrue(
                err.toString()
                        .matches("oxbow: Trainer: step \\d+ .* \\S+: output 0 holds (NaN|-?Infinity) at element .*"
                                + " \\(node .*\\R"),
                err::toString);
    }

    @Test
    void theSameCommandGoesOnWhereItWas(@TempDir Path folder) {
        Path whole = folder.resolve("whole.npz");
        String kept = folder.resolve("kept").toString();
        assertEquals(0, run("train", "--epochs", "3", "--save", whole.toString()), err::toString);
        assertEquals(0, run("train", "--epochs", "2", "--checkpoints", kept), err::toString);
        assertEquals(
                0, run("train", "--epochs", "3", "--checkpoints", kept, "--compare", whole.toString()), err::toString);
        assertTrue(out.toString().contains("going on from step 90 in "), out::toString);
        assertTrue(out.toString().contains(" by 0.00 of their norm at most"), out::toString);
    }

    @Test
    void anExampleThatIsNotThereIsAUsageError() {
        assertEquals(2, run("train", "imagenet"));
        assertTrue(
                err.toString().startsWith("oxbow: there is no example 'imagenet', only digits, mnist, "),
                err::toString);
    }

    @Test
    void aWrongNumberOfWorkersIsAUsageError() {
        assertEquals(2, run("train", "--workers", "0"));
        assertTrue(err.toString().startsWith("oxbow: --workers must be at least 1, got 0"), err::toString);
    }
}
