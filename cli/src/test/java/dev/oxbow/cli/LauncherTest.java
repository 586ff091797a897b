package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The launcher {@code ./oxbow} over a built tree and a JDK that are only pretended: what it asks of {@code java}. */
@Timeout(300)
@DisabledOnOs(OS.WINDOWS)
final class LauncherTest {
    private static final String LIST = "-XX:DumpLoadedClassList=", ARCHIVE = "-XX:SharedArchiveFile=";

    @TempDir
    private Path root;

    private Path calls;

    @BeforeEach
    void pretend() throws IOException {
        root = root.toRealPath();
        calls = root.resolve("calls");
        Files.copy(Path.of("..", "oxbow"), root.resolve("oxbow"));
        for (String folder : List.of(".oxbow", "cli/target/lib", "cli/target/launch", "jdk/bin"))
            Files.createDirectories(root.resolve(folder));
        for (String file : List.of(".oxbow/built", "cli/target/launch/jvm.args", "cli/target/launch/collector.args"))
            Files.createFile(root.resolve(file));
        Files.writeString(root.resolve("jdk/release"), "JAVA_VERSION=\"25.0.3\"\n");
        program("javac", "");
    }

    /** A java that notes each call, does what is given, and otherwise fills the archive that it is asked for. */
    private void java(String first) throws IOException {
        program("java", """
                echo "$*" >>'%s'
                %s
                [[ $* != *-Xshare:dump* ]] || for flag in "$@"; do
                    [[ $flag != %s* ]] || echo classes >"${flag#*=}"
                done
                [[ $* != *' status' ]] || exit 7
                """.formatted(calls, first, ARCHIVE));
    }

    private void program(String name, String text) throws IOException {
        Path file = root.resolve("jdk/bin").resolve(name);
        Files.writeString(file, "#!/usr/bin/env bash\n" + text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Starts the launcher, which must hand on the status of the command and say nothing; returns its calls of java. */
    private List<String> launch(int seconds) throws IOException, InterruptedException {
        Files.deleteIfExists(calls);
        ProcessBuilder b = new ProcessBuilder("bash", root.resolve("oxbow").toString(), "status");
        b.environment().put("JAVA_HOME", root.resolve("jdk").toString());
        b.environment().put("OXBOW_ARCHIVE_SECONDS", "" + seconds);
        b.environment().remove("OXBOW_JAVA_OPTS");
        Process p = b.redirectErrorStream(true).start();
        String said = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(7, p.waitFor(), said);
        assertEquals("", said);
        assertFalse(Files.exists(root.resolve(".oxbow/lock")));
        return Files.readAllLines(calls);
    }

    private List<Path> archives() throws IOException {
        try (var files = Files.list(root.resolve(".oxbow"))) {
            return files.filter(f -> f.getFileName().toString().startsWith("classes"))
                    .toList();
        }
    }

    @Test
    void theFirstStartMakesAnArchiveThatAllUse() throws Exception {
        java("");
        List<String> first = launch(60);
        assertEquals(3, first.size(), first::toString);
        assertTrue(first.get(0).contains(LIST) && first.get(0).contains("train"), first::toString);
        assertTrue(first.get(1).contains("-Xshare:dump"), first::toString);
        assertEquals(1, archives().size());
        assertTrue(first.get(2).contains(ARCHIVE + archives().get(0)), first::toString);
        assertEquals(first.subList(2, 3), launch(60));
    }

    @Test
    void anotherBuildReplacesTheArchive() throws Exception {
        java("");
        launch(60);
        List<Path> before = archives();
        Files.writeString(root.resolve(".oxbow/built"), "later");
        assertEquals(3, launch(60).size());
        assertEquals(1, archives().size());
        assertFalse(archives().equals(before));
    }

    @Test
    void aJavaThatMakesNoArchiveIsAskedOnceAndStartsWithout() throws Exception {
        java("[[ $* != *-Xshare:dump* ]] || exit 1");
        List<String> first = launch(60);
        assertEquals(3, first.size(), first::toString);
        assertFalse(first.get(2).contains(ARCHIVE), first::toString);
        assertEquals(first.subList(2, 3), launch(60));
    }

    @Test
    void aStepThatHangsIsEndedAndTheCommandStartsWithout() throws Exception {
        java("[[ $* != *%s* ]] || exec sleep 100".formatted(LIST));
        long start = System.nanoTime();
        List<String> first = launch(1);
        assertTrue(System.nanoTime() - start < 90e9, "waited for what hangs");
        assertEquals(2, first.size(), first::toString);
        assertFalse(first.get(1).contains(ARCHIVE), first::toString);
        assertEquals(first.subList(1, 2), launch(1));
    }
}
