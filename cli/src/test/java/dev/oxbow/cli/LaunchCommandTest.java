package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cli.launched.Rank;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class LaunchCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }

    private int launch(int n, List<String> options, String... arguments) {
        List<String> line = new ArrayList<>(List.of("launch", "-n", "" + n));
        line.addAll(options);
        line.addAll(List.of("--class-path", classes(), "--java", "--", Rank.class.getName()));
        line.addAll(List.of(arguments));
        return run(line.toArray(String[]::new));
    }

    private static String classes() {
        try {
            return Path.of(Rank.class
                            .getClassLoader()
                            .getResource("dev/oxbow/cli/launched/Rank.class")
                            .toURI())
                    .resolve("../../../../..")
                    .normalize()
                    .toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void everyRankIsToldWhoItIs() {
        assertEquals(
                0,
                launch(2, List.of("--transport", "tcp", "--threads", "3", "--timeout", "90s"), "environment"),
                err::toString);
        for (int rank = 0; rank < 2; rank++)
            for (String line : List.of(
                    "RANK=" + rank,
                    "SIZE=2",
                    "LOCAL_RANK=" + rank,
                    "LOCAL_SIZE=2",
                    "TRANSPORT=tcp",
                    "THREADS=3",
                    "TIMEOUT=90000ms"))
                assertTrue(out.toString().lines().anyMatch(("[" + rank + "] " + line)::equals), out::toString);
        List<String> common = out.toString()
                .lines()
                .filter(l -> l.contains("common"))
                .map(l -> l.substring(4))
                .toList();
        assertEquals(common.get(0), common.get(1));
        assertTrue(
                common.get(0).matches("common launch-[0-9a-f]{16} [0-9a-f]{64} 127\\.0\\.0\\.1:2\\d{4}"),
                common.get(0));
        assertEquals("", err.toString());
    }

    @Test
    void linesOfManyRanksStayWholeAndInOrder() {
        assertEquals(0, launch(3, List.of(), "talk"));
        String word = "x".repeat(3000);
        for (int rank = 0; rank < 3; rank++) {
            String prefix = "[" + rank + "] ";
            List<String> mine =
                    out.toString().lines().filter(l -> l.startsWith(prefix)).toList();
            assertEquals(
                    IntStream.range(0, 300)
                            .mapToObj(i -> prefix + i + " " + word)
                            .toList(),
                    mine);
            assertTrue(err.toString().lines().anyMatch((prefix + "no end of line")::equals), err::toString);
        }
        assertEquals(900, out.toString().lines().count());
    }

    @Test
    void theFirstFailureEndsAllAndIsReportedOnce() {
        assertEquals(7, launch(3, List.of(), "fail"));
        String report = err.toString();
        assertTrue(
                report.matches("(?s)\\[1] the disk is full\\R"
                        + "oxbow: launch: rank 1 \\(process \\d+\\) ended with status 7, so the others were stopped;"
                        + " its last lines:\\R  the disk is full\\R"),
                report);
    }

    @Test
    void aRankThatEndsBeforeAllHaveJoinedEndsTheJobAtOnce() {
        assertEquals(5, launch(3, List.of("--timeout", "100s"), "absent"), err::toString);
        assertTrue(
                err.toString()
                        .matches(
                                "(?s).*oxbow: launch: rank 1 \\(process \\d+\\) ended with status 0 and had not joined, while"
                                        + " others wait for it, so the others were stopped; it printed nothing\\R"),
                err::toString);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "early   | 5 | ended with status 0 while others still needed it",
                "stopped | 5 | gives no sign of life",
                "throws  | 1 | ended with status 1"
            })
    void theRankIsNamedThatTheOthersHaveLost(String what, int status, String how) {
        assertEquals(status, launch(3, List.of("--grace", "1s"), what), err::toString);
        assertTrue(
                err.toString().matches("(?s).*oxbow: launch: rank 1 \\(process \\d+\\) " + how + ", so the others.*"),
                err::toString);
        assertFalse(err.toString().contains("is lost: is lost"), err::toString);
        if (what.equals("throws")) assertTrue(err.toString().contains("  Exception in thread"), err::toString);
    }

    @Test
    void whatIsWrongForAllRanksIsSaidOnce() {
        assertEquals(2, run("launch", "-n", "3", "--", "train", "--epochs", "0"));
        assertEquals("oxbow: --epochs must be at least 1, got 0\nsee ./oxbow train --help\n", err.toString());
    }

    @Test
    void aRankThatDoesNotEndIsKilled(@TempDir Path folder) throws IOException {
        assertEquals(9, launch(3, List.of("--grace", "300ms"), "stubborn", folder.toString()));
        assertNobodyIsLeft(folder);
    }

    @Test
    void aClassThatIsNotThereIsNamed() {
        assertEquals(2, run("launch", "-n", "1", "--java", "com.example.None"));
        assertTrue(err.toString().contains("is called com.example.None on the class path"), err::toString);
    }

    @Test
    void ranksRunOurOwnCommandsWithoutASeparator() {
        assertEquals(0, run("launch", "-n", "2", "ops", "--help"), err::toString);
        for (int rank = 0; rank < 2; rank++)
            assertTrue(out.toString().contains("[" + rank + "] Usage: oxbow ops"), out::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-TERM", "-INT", "-KILL"})
    void noRankOutlivesTheLauncher(String signal, @TempDir Path folder) throws Exception {
        List<String> command = JavaCommand.ours(List.of(
                "launch",
                "-n",
                "2",
                "--class-path",
                classes(),
                "--java",
                Rank.class.getName(),
                "wait",
                folder.toString()));
        Process launcher = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader lines = launcher.inputReader()) {
            for (int waiting = 0; waiting < 2; ) {
                String line = lines.readLine();
                assertTrue(line != null, "the launcher ended early");
                if (line.endsWith("waiting")) waiting++;
            }
            new ProcessBuilder("kill", signal, "" + launcher.pid()).start().waitFor();
            assertTrue(launcher.waitFor(240, TimeUnit.SECONDS));
            assertNobodyIsLeft(folder);
        } finally {
            launcher.destroyForcibly();
        }
        assertEquals(signal.equals("-TERM") ? 143 : signal.equals("-INT") ? 130 : 137, launcher.exitValue());
    }

    @Test
    void wrongUseIsExplained() {
        assertEquals(2, run("launch", "-n", "0", "ops"));
        assertTrue(err.toString().startsWith("oxbow: -n must be at least 1, got 0"), err::toString);
        assertEquals(2, run("launch", "-n", "2"));
        assertEquals(2, run("launch", "-n", "2", "--timeout", "soon", "ops"));
        assertTrue(err.toString().contains("'soon' is not a time such as 500ms, 60s or 1.5m"), err::toString);
        assertEquals(3, run("launch", "-n", "2", "--rendezvous", "nowhere", "ops"));
    }

    private static void assertNobodyIsLeft(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            List<Path> all = files.toList();
            assertFalse(all.isEmpty());
            for (Path file : all)
                ProcessHandle.of(Long.parseLong(Files.readString(file)))
                        .ifPresent(
                                p -> p.onExit().orTimeout(240, TimeUnit.SECONDS).join());
        }
    }
}
