package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cli.launched.Noisy;
import dev.oxbow.data.DataSet;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.export.Weights;
import dev.oxbow.wire.Npy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training that is killed, stopped, or finds no room, as processes; the same command goes on and ends as if nothing had been. */
@Timeout(900)
@DisabledOnOs(OS.WINDOWS)
final class StoppedTrainingTest {
    private static final int STEPS = 12 * 26;

    @TempDir
    private static Path folder;

    private static byte[] undisturbed;

    /** Where copies of data sets are kept. */
    private static Path data = Path.of("data");

    /** Trains to the end, and leaves two checkpoints: that of the end, and one of step 308. */
    @BeforeAll
    static void trainUndisturbed() throws Exception {
        Path end = folder.resolve("whole.npz");
        Result r = run(keeping(folder.resolve("whole"), "--save", end.toString()), null, 0);
        assertEquals(0, r.status, r.text);
        undisturbed = Files.readAllBytes(end);
    }

    /** A copy of what the undisturbed run has left. */
    private static Path copy(String name) throws IOException {
        Path from = folder.resolve("whole"), to = folder.resolve(name);
        try (Stream<Path> all = Files.walk(from)) {
            for (Path p : all.toList()) Files.copy(p, to.resolve(from.relativize(p)));
        }
        return to;
    }

    private static Path newestFile(Path kept) throws IOException {
        return kept.resolve("step-%012d".formatted(newest(kept))).resolve("state.safetensors");
    }

    private record Result(int status, String text) {}

    private static List<String> command(List<String> more) {
        List<String> arguments = new ArrayList<>(List.of(
                "train",
                Noisy.class.getName(),
                "-cp",
                Path.of("target", "test-classes").toString()));
        arguments.addAll(more);
        return JavaCommand.ours(arguments);
    }

    private static List<String> keeping(Path kept, String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("--checkpoints", kept.toString(), "--checkpoint-every", "7", "--kept", "2"));
        arguments.addAll(List.of(more));
        return command(arguments);
    }

    /** Runs a command; where there is a signal, sends it when a checkpoint of this step, or a later one, is there. */
    private static Result run(List<String> command, String signal, long step) throws Exception {
        Path log = Files.createTempFile(folder, "log", "");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("OXBOW_DATA", data.toString());
        Process p = builder.start();
        try {
            if (signal != null) {
                Path kept = Path.of(command.get(command.indexOf("--checkpoints") + 1));
                while (p.isAlive() && newest(kept) < step) Thread.onSpinWait();
                new ProcessBuilder("kill", signal, "" + p.pid()).start().waitFor();
            }
            assertTrue(p.waitFor(120, TimeUnit.SECONDS), () -> command + " does not end");
        } finally {
            p.destroyForcibly();
        }
        return new Result(p.exitValue(), Files.readString(log));
    }

    private static long newest(Path kept) throws IOException {
        if (!Files.exists(kept)) return -1;
        try (Stream<Path> all = Files.list(kept)) {
            return all.map(f -> f.getFileName().toString())
                    .filter(n -> n.startsWith("step-"))
                    .mapToLong(n -> Long.parseLong(n.substring(5)))
                    .max()
                    .orElse(-1);
        }
    }

    private static void endsUndisturbed(Path kept) throws Exception {
        Path end = kept.resolveSibling(kept.getFileName() + ".npz");
        Result r = run(keeping(kept, "--save", end.toString()), null, 0);
        assertEquals(0, r.status, r.text);
        assertTrue(r.text.contains("going on from step "), r.text);
        assertArrayEquals(undisturbed, Files.readAllBytes(end), r.text);
    }

    private static void killAndGoOn(int trials, long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < trials; i++) {
            Path kept = folder.resolve("killed" + seed + "-" + i);
            long step = 1 + random.nextInt(STEPS - 60);
            Result r = run(keeping(kept), "-KILL", step);
            assertEquals(137, r.status, () -> "seed " + seed + ", step " + step + ": " + r.text);
            endsUndisturbed(kept);
        }
    }

    @Test
    void aRunThatWasKilledAnywhereEndsWithTheBitsOfOneThatWasNot() throws Exception {
        killAndGoOn(1, 1);
    }

    @Test
    @Tag("long")
    void tenRunsThatWereKilledAnywhereEndWithTheBitsOfOneThatWasNot() throws Exception {
        killAndGoOn(10, System.nanoTime());
    }

    @Test
    void ctrlCKeepsTheStateAndTheSameCommandGoesOn() throws Exception {
        Path kept = folder.resolve("stopped");
        Result r = run(keeping(kept), "-INT", 100);
        assertTrue(r.text.contains("; the same command goes on from there"), r.text);
        assertEquals(130, r.status, r.text);
        assertTrue(newest(kept) < STEPS, r.text);
        endsUndisturbed(kept);
    }

    private static List<String> limited(List<String> command) {
        List<String> all = new ArrayList<>(List.of("bash", "-c", "ulimit -f 4; exec \"$@\"", "bash"));
        all.addAll(command);
        return all;
    }

    /** FOLDER is where each writes, KEPT a trained model. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "export NOISY --checkpoints KEPT --to FOLDER/a.onnx",
                "export NOISY --checkpoints KEPT --to FOLDER/a.ckpt",
                "export NOISY --checkpoints KEPT --to FOLDER/a",
                "predict NOISY --checkpoints KEPT --input ROWS --output FOLDER/y.npy",
                "train NOISY --epochs 1 --save FOLDER/a.npz",
                "plan --parameters 1MB --compute 1s --workers 64 --rate 1MB/s --curve FOLDER/x.png",
                "data get mnist --from FILES",
            })
    void whatFindsNoRoomIsOneLineAndLeavesNothing(String line) throws Exception {
        Path to = Files.createTempDirectory(folder, "room"), rows = folder.resolve("rows.npy");
        try (Tensor x = Tensor.zeros(DType.F32, Shape.of(2048, 16))) {
            Npy.write(rows, x);
        }
        String words = line.replace("NOISY", Noisy.class.getName() + " -cp target/test-classes")
                .replace("KEPT", folder.resolve("whole").toString())
                .replace("ROWS", rows.toString())
                .replace("FILES", files().toString())
                .replace("FOLDER", to.toString());
        data = to;
        Result r = run(limited(JavaCommand.ours(List.of(words.split(" ")))), null, 0);
        assertEquals(3, r.status, r.text);
        List<String> said = r.text.lines().filter(l -> l.startsWith("oxbow: ")).toList();
        assertEquals(1, said.size(), r.text);
        assertTrue(said.getFirst().contains("File too large"), r.text);
        try (Stream<Path> left = Files.walk(to)) {
            assertEquals(
                    List.of(),
                    left.filter(p -> Files.isRegularFile(p) || p.endsWith("a")).toList(),
                    r.text);
        }
    }

    @Test
    void aRunWhoseEventsFindNoRoomIsTrainedAllTheSameAndSaysSoOnce() throws Exception {
        Path to = Files.createTempDirectory(folder, "room").resolve("run");
        String words = "train " + Noisy.class.getName() + " -cp target/test-classes --epochs 1 --log " + to;
        Result r = run(limited(JavaCommand.ours(List.of(words.split(" ")))), null, 0);
        assertEquals(0, r.status, r.text);
        assertEquals(
                1,
                r.text.lines()
                        .filter(l -> l.contains("events are lost until it can"))
                        .count(),
                r.text);
        try (Stream<Path> files = Files.list(to)) {
            for (Path f : files.toList()) assertTrue(Files.size(f) <= 4096, f::toString);
        }
    }

    /** A folder with what may be the files of MNIST. */
    private static Path files() throws IOException {
        Path from = Files.createDirectories(folder.resolve("files"));
        for (String name : DataSet.MNIST.files().keySet()) Files.write(from.resolve(name), new byte[10_000]);
        return from;
    }

    @Test
    void dataIsNotKeptWhereNothingCanBeWritten() throws Exception {
        data = Path.of("/proc/data");
        Result r = run(JavaCommand.ours(List.of("data", "get", "mnist", "--from", files().toString())), null, 0);
        assertEquals(3, r.status, r.text);
        assertEquals(
                1,
                r.text.lines()
                        .filter(l -> l.startsWith("oxbow: ") && l.contains("/proc/data"))
                        .count(),
                r.text);
    }

    /** A limit on the size of files stands for a disk that is full. */
    @Test
    void whereThereIsNoRoomTheCheckpointBeforeStaysAndIsUsed() throws Exception {
        Path kept = copy("full"), newest = newestFile(kept);
        try (Stream<Path> all = Files.list(newest.getParent())) {
            for (Path p : all.toList()) Files.delete(p);
        }
        Files.delete(newest.getParent());
        Result r = run(limited(keeping(kept)), null, 0);
        assertEquals(3, r.status, r.text);
        List<String> said = r.text.lines().filter(l -> l.startsWith("oxbow: ")).toList();
        assertEquals(1, said.size(), r.text);
        assertTrue(said.getFirst().contains("File too large"), r.text);
        try (Stream<Path> all = Files.list(kept)) {
            assertFalse(all.anyMatch(p -> p.getFileName().toString().startsWith(".")), "something is half written");
        }
        assertEquals(308, newest(kept));
        endsUndisturbed(kept);
    }

    @Test
    void aTornFileIsToldOfAndTheCheckpointBeforeIsUsed() throws Exception {
        Path kept = copy("torn"), file = newestFile(kept), newest = file.getParent();
        byte[] state = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(state, state.length / 2));
        Path end = folder.resolve("torn.npz");
        Result r = run(keeping(kept, "--save", end.toString()), null, 0);
        assertEquals(0, r.status, r.text);
        assertTrue(r.text.contains(newest + " can not be used, trying the one before"), r.text);
        assertTrue(r.text.contains("going on from step 308 "), r.text);
        assertArrayEquals(undisturbed, Files.readAllBytes(end));
    }

    /** Each worker writes its share; fewer workers, and none beside it, go on. */
    @Test
    void fewerWorkersAndAnotherPlanGoOn() throws Exception {
        Path kept = folder.resolve("workers"), end = folder.resolve("workers.npz");
        Result r = run(keeping(kept, "--workers", "4", "--epochs", "4"), null, 0);
        assertEquals(0, r.status, r.text);
        try (Stream<Path> files = Files.list(kept.resolve("step-%012d".formatted(newest(kept))))) {
            assertEquals(5, files.count(), "four files and a manifest");
        }
        r = run(keeping(kept, "--workers", "2", "--epochs", "8"), null, 0);
        assertEquals(0, r.status, r.text);
        r = run(keeping(kept, "--save", end.toString()), null, 0);
        assertEquals(0, r.status, r.text);
        try (Weights a = Weights.npz(folder.resolve("whole.npz"));
                Weights b = Weights.npz(end)) {
            a.values().forEach((name, t) -> {
                for (long i = 0; i < t.size(); i++)
                    assertEquals(t.getDouble(i), b.values().get(name).getDouble(i), 1e-4, name);
            });
        }
    }
}
