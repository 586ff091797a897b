package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training on a card of software, which runs the very sources, graphs and copies that a real one is given. */
@Timeout(600)
@Tag("long")
final class EmulatedCardTest {
    private static final Path EMULATED = Path.of("../benchmarks/card/emulated.cpp");

    @TempDir
    private static Path folder;

    private static List<String> run(ProcessBuilder b) throws IOException, InterruptedException {
        Process p = b.redirectErrorStream(true).start();
        List<String> said = p.inputReader().lines().toList();
        assertTrue(p.waitFor(300, TimeUnit.SECONDS), "the process does not end");
        assertTrue(p.exitValue() == 0, () -> String.join("\n", said));
        return said;
    }

    private static void make() throws IOException, InterruptedException {
        Path library = folder.resolve("libcuda.so.1");
        if (Files.exists(library)) return;
        try {
            run(new ProcessBuilder(
                    "g++", "-O1", "-shared", "-fPIC", "-std=c++17", "-o", library.toString(), EMULATED.toString()));
        } catch (IOException e) {
            assumeTrue(false, "there is no C++ compiler");
        }
        for (String name : List.of("libcublasLt.so.13", "libnvrtc.so.13"))
            Files.createSymbolicLink(folder.resolve(name), library);
    }

    /** What a process says that has the card. */
    private static List<String> ran(Class<?> main, int seed, String... words) throws IOException, InterruptedException {
        make();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--add-modules=jdk.incubator.vector",
                "-XX:+UseSerialGC",
                "-Doxbow.cuda.cache=" + folder.resolve("cache"),
                "-Doxbow.cuda.path=" + folder,
                "-Doxbow.cuda.dnn=off",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(words));
        ProcessBuilder b = new ProcessBuilder(command);
        b.environment()
                .putAll(Map.of(
                        "LD_LIBRARY_PATH", folder.toString(),
                        "EMULATED_FOLDER", folder.resolve("sources").toString(),
                        "EMULATED_SEED", Integer.toString(seed),
                        "EMULATED_CARDS", words.length > 0 && words[0].contains("GPU:1") ? "2" : "1"));
        return run(b);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void itTrainsAsTheCpuDoesInAnyOrderThatGraphsAllowWithParkedValuesToo(int seed) throws Exception {
        List<String> said = ran(EmulatedCardProcess.class, seed);
        String all = "seed " + seed + "\n" + String.join("\n", said);
        double off = said.stream()
                .filter(l -> l.startsWith("off the CPU's by "))
                .mapToDouble(l -> Double.parseDouble(l.substring(17)))
                .findFirst()
                .orElse(Double.NaN);
        assertTrue(off <= 1e-5, all);
        for (String line : List.of("less memory", "the same bits", "some parked")) assertTrue(said.contains(line), all);
        assertTrue(said.stream().anyMatch(l -> l.matches("graphs [1-9].*")), all);
    }

    @Test
    void layersOfCellsOverTimeAreTheCpus() throws Exception {
        List<String> said = ran(EmulatedCellsProcess.class, 3);
        String all = String.join("\n", said);
        assertFalse(said.contains("WRONG"), all);
        assertTrue(said.getLast().matches("fallbacks 0, graphs [1-9].*"), all);
    }

    @Test
    void rowsThatListsChangeHaveTheBitsOfTheCpu() throws Exception {
        List<String> said = ran(EmulatedRowsProcess.class, 4);
        assertTrue(said.getLast().equals("fallbacks 0"), () -> String.join("\n", said));
        assertFalse(said.stream().anyMatch(l -> l.startsWith("WRONG")), () -> String.join("\n", said));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/device:CPU:0", "/device:GPU:1"})
    void aStepThatFailsLeavesAllStateAsItWas(String other) throws Exception {
        List<String> said = ran(KeptState.class, 5, other);
        assertFalse(said.stream().anyMatch(l -> l.startsWith("WRONG")), () -> String.join("\n", said));
        assertTrue(said.getLast().matches("graphs [1-9].*"), () -> String.join("\n", said));
    }
}
