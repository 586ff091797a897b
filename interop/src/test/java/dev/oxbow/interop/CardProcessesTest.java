package dev.oxbow.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
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

/** Processes with cards and an NCCL of software, which are given all that real ones would be. */
@Timeout(600)
@Tag("long")
final class CardProcessesTest {
    private static final Path EMULATED = Path.of("../benchmarks/card/emulated.cpp");

    @TempDir
    private static Path folder;

    private static List<String> said(Process p) throws IOException, InterruptedException {
        List<String> said = p.inputReader().lines().toList();
        assertTrue(p.waitFor(300, TimeUnit.SECONDS), "the process does not end");
        assertEquals(0, p.exitValue(), () -> String.join("\n", said));
        return said;
    }

    private static void make() throws IOException, InterruptedException {
        Path library = folder.resolve("libcuda.so.1");
        if (Files.exists(library)) return;
        ProcessBuilder b = new ProcessBuilder(
                "g++", "-O1", "-shared", "-fPIC", "-std=c++17", "-o", library.toString(), EMULATED.toString());
        try {
            said(b.redirectErrorStream(true).start());
        } catch (IOException e) {
            assumeTrue(false, "there is no C++ compiler");
        }
        for (String name : List.of("libcublasLt.so.13", "libnvrtc.so.13", "libnccl.so.2"))
            Files.createSymbolicLink(folder.resolve(name), library);
    }

    /** What each of some ranks says. */
    private static List<List<String>> ran(int ranks, Map<String, String> variables, String... words)
            throws IOException, InterruptedException {
        return ran(CardRankProcess.class, ranks, variables, words);
    }

    private static List<List<String>> ran(Class<?> main, int ranks, Map<String, String> variables, String... words)
            throws IOException, InterruptedException {
        make();
        Path meeting = Files.createTempDirectory(folder, "meeting");
        List<Process> all = new ArrayList<>();
        for (int r = 0; r < ranks; r++) {
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
            ProcessBuilder b = new ProcessBuilder(command).redirectErrorStream(true);
            b.environment()
                    .putAll(Map.of(
                            "OXBOW_RANK", Integer.toString(r),
                            "OXBOW_SIZE", Integer.toString(ranks),
                            "OXBOW_RENDEZVOUS", "file:" + meeting,
                            "LD_LIBRARY_PATH", folder.toString(),
                            "EMULATED_FOLDER", folder.resolve("sources").toString(),
                            "EMULATED_SEED", Integer.toString(r + 1)));
            b.environment().putAll(variables);
            all.add(b.start());
        }
        List<List<String>> said = new ArrayList<>();
        for (Process p : all) said.add(said(p));
        return said;
    }

    private static String line(List<String> said, String start) {
        return said.stream()
                .filter(l -> l.startsWith(start))
                .findFirst()
                .map(l -> l.substring(start.length()).strip())
                .orElseGet(() -> "nothing: " + String.join("\n", said));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void gradientsGoFromCardToCardInsideOfTheirGraphs(int ranks) throws Exception {
        List<List<String>> all = ran(ranks, Map.of());
        for (List<String> said : all) {
            assertEquals(line(all.getFirst(), "bits"), line(said, "bits"));
            assertTrue(Double.parseDouble(line(said, "off by")) < 1e-5, () -> String.join("\n", said));
            assertTrue(line(said, "graphs").matches("[4-9]|1\\d"), () -> String.join("\n", said));
            assertEquals("0", line(said, "ops of the host in a step"), () -> String.join("\n", said));
        }
    }

    @Test
    void aRankThatIsGoneIsNamedByTheOthers() throws Exception {
        List<List<String>> all = ran(2, Map.of("OXBOW_TIMEOUT", "20"), "die");
        String failed = line(all.getFirst(), "failed");
        assertTrue(failed.contains("rank 1"), failed);
    }

    /** What the first of two ranks, neither of which has changed anything, hears of a wrong label of the second. */
    private static String heard(String... words) throws Exception {
        List<List<String>> all = ran(CardFaultProcess.class, 2, Map.of("OXBOW_TIMEOUT", "60"), words);
        for (List<String> said : all) {
            String text = String.join("\n", said);
            assertEquals(2, said.stream().filter("unchanged"::equals).count(), text);
            assertEquals(line(all.getFirst(), "bits"), line(said, "bits"));
        }
        String failed = line(all.get(1), "failed");
        assertTrue(failed.contains("Received a label value of 12"), failed);
        return line(all.get(0), "failed");
    }

    @Test
    void aWrongLabelOfOneRankFailsTheStepOfAllAndChangesNothing() throws Exception {
        String failed = heard();
        assertTrue(failed.contains("INVALID_ARGUMENT rank 1 of these has failed"), failed);
    }

    @Test
    void aWrongLabelFailsTheStepOfAllWhereGradientsGoByTheHostsToo() throws Exception {
        String failed = heard("hosts");
        assertTrue(failed.contains("rank 1"), failed);
    }

    @Test
    void anOldNcclIsOneSentence() throws Exception {
        String failed = line(ran(2, Map.of("NCCL_FAKE_VERSION", "21003")).getFirst(), "failed");
        assertTrue(failed.contains("CUDA: NCCL 2.10.3 is too old: cards of several processes need 2.14.0"), failed);
    }
}
