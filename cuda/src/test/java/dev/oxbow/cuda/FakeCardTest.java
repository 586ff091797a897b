package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the host does with a card, seen by a driver that computes nothing; and the same of a real one that is lost, where there is one. */
@Timeout(300)
final class FakeCardTest {
    private static final Path FAKE = Path.of("../benchmarks/card/fake.c");
    private static final int LAUNCHES_UNTIL_LOST = 60;

    private static final Pattern LOST =
            Pattern.compile("CUDA: card 0 \\(.*\\) is lost: .*; restart the process to use it again( \\(node .*)?");

    private static final Pattern GRAPHS = Pattern.compile("fake card: .* (\\d+) graphs, (\\d+) captures, .*");

    @TempDir
    private Path folder;

    private static List<String> run(ProcessBuilder b) throws IOException, InterruptedException {
        Process p = b.redirectErrorStream(true).start();
        List<String> said = p.inputReader().lines().toList();
        assertTrue(p.waitFor(60, TimeUnit.SECONDS), "the process does not end");
        assertEquals(0, p.exitValue(), () -> String.join("\n", said));
        return said;
    }

    /** What a process says that trains, after some launches without a card where that is not negative, on the fake one or a real one. */
    private List<String> trained(boolean fake, int lost, String... words) throws IOException, InterruptedException {
        ProcessBuilder b = process(fake, words);
        if (lost >= 0) b.environment().put("FAKE_LOST", Integer.toString(lost));
        return run(b);
    }

    private ProcessBuilder process(boolean fake, String... words) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--add-modules=jdk.incubator.vector",
                "-XX:+UseSerialGC",
                "-Doxbow.cuda.cache=" + folder.resolve("cache")));
        if (fake) command.addAll(List.of("-Doxbow.cuda.path=" + folder, "-Doxbow.cuda.dnn=off"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LostCardProcess.class.getName()));
        command.addAll(List.of(words));
        ProcessBuilder b = new ProcessBuilder(command);
        if (fake) b.environment().put("LD_LIBRARY_PATH", folder.toString());
        return b;
    }

    /** @param flags for the compiler */
    private void makeFake(String... flags) throws IOException, InterruptedException {
        Path library = folder.resolve("libcuda.so.1");
        List<String> command = new ArrayList<>(List.of("gcc", "-O1", "-shared", "-fPIC"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-o", library.toString(), FAKE.toString()));
        try {
            run(new ProcessBuilder(command));
        } catch (IOException e) {
            assumeTrue(false, "there is no C compiler");
        }
        for (String name : List.of("libcublasLt.so.13", "libnvrtc.so.13"))
            Files.createSymbolicLink(folder.resolve(name), library);
    }

    private static void checkLost(List<String> said) {
        List<String> lines = said.stream()
                .filter(l -> l.matches("(devices|first|then|the CPU|nothing|closed).*"))
                .toList();
        String all = String.join("\n", said);
        assertEquals(6, lines.size(), all);
        assertEquals("devices 2", lines.get(0), all);
        for (int i = 1; i <= 2; i++) {
            assertTrue(lines.get(i).startsWith(i == 1 ? "first UNAVAILABLE" : "then UNAVAILABLE"), all);
            assertTrue(LOST.matcher(lines.get(i)).find(), all);
        }
        assertEquals("the CPU trains on", lines.get(3), all);
        assertEquals("devices 1", lines.get(4), all);
        assertEquals("closed", lines.get(5), all);
    }

    @Test
    void aCardThatIsLostFailsItsRunsAndNothingElse() throws Exception {
        makeFake();
        checkLost(trained(true, LAUNCHES_UNTIL_LOST));
    }

    /** What it says where there is a reason not to use the card. */
    private void checkCpuTrains(String why, List<String> said) {
        List<String> lines = said.stream()
                .filter(l -> l.matches("(devices|why|nothing|the CPU|closed).*"))
                .toList();
        List<String> wanted =
                List.of("devices 1", "why " + why, "nothing was lost", "the CPU trains on", "devices 1", "closed");
        assertEquals(wanted, lines, () -> String.join("\n", said));
    }

    @Test
    void aCardThatIsTooSmallIsLeftAloneWithOneSentence() throws Exception {
        makeFake();
        ProcessBuilder small = process(true);
        small.environment().put("FAKE_CAPABILITY", "7");
        checkCpuTrains("CUDA: card 0 (fake card) has compute capability 7.0, and kernels need 8.0", run(small));
    }

    @Test
    void aDriverThatIsTooOldIsLeftAloneWithOneSentence() throws Exception {
        makeFake("-DcuStreamGetCaptureInfo_v2=cuStreamGetCaptureInfo");
        checkCpuTrains("CUDA: libcuda.so.1 has no cuStreamGetCaptureInfo_v2: it is too old", run(process(true)));
    }

    @Test
    void aKernelThatTrapsLosesTheCardAndNothingElse() throws Exception {
        assumeTrue(new CudaDevices().findings().getLast().isThere(), "there is no card, see ./oxbow doctor");
        checkLost(trained(false, -1, "trap"));
    }

    @Test
    void stepsThatAreFedFromTheHostAreGraphsFromTheThirdOn() throws Exception {
        makeFake();
        List<String> said = trained(true, -1);
        assertTrue(said.contains("nothing was lost"), () -> String.join("\n", said));
        Matcher counts = GRAPHS.matcher(said.getLast());
        assertTrue(counts.matches(), said::getLast);
        int graphs = Integer.parseInt(counts.group(1)), captures = Integer.parseInt(counts.group(2));
        assertTrue(graphs >= LostCardProcess.STEPS - 2, said::getLast);
        assertEquals(1, captures, said::getLast);
    }
}
