package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/use.md, started as that page says with the jars of this build. */
@Tag("launched")
@Timeout(300)
final class LibraryTest {
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
    private static final Path JARS = Path.of("target", "lib").toAbsolutePath();
    private static final String VECTORS = "jdk.incubator.vector";
    private static final Pattern PROGRAM = Pattern.compile("(?s)```java\n(.*?)```");
    private static final Pattern PROMISE = Pattern.compile("println.*; // (.*)");
    private static final Pattern ACCURACY = Pattern.compile("accuracy\\D+([0-9.]+)");

    @TempDir
    private static Path home;

    @BeforeAll
    static void writeProgram() throws IOException {
        Matcher page = PROGRAM.matcher(Files.readString(Path.of("..", "docs", "use.md")));
        assertTrue(page.find());
        String program = page.group(1), module = "import module dev.oxbow;";
        assertTrue(program.startsWith(module), program);
        Files.writeString(home.resolve("Program.java"), program);
        StringBuilder imports = new StringBuilder();
        for (String p : List.of("ops", "tensor", "train", "train.loss", "train.optimizer"))
            imports.append("import dev.oxbow.").append(p).append(".*;\n");
        Files.writeString(home.resolve("Plain.java"), program.replace(module, imports));
        Path digits =
                Path.of("..", "examples", "src", "main", "resources", "dev", "oxbow", "examples", "digits.csv.gz");
        try (InputStream in = new GZIPInputStream(Files.newInputStream(digits))) {
            Files.copy(in, home.resolve("digits.csv"));
        }
    }

    @Test
    void oneModuleIsAllThatAProgramNames() throws Exception {
        String said = run("-p", JARS.toString(), "--add-modules", "dev.oxbow," + VECTORS, "Program.java", "digits.csv");
        assertTrue(accuracy(said) >= 0.96, said);
    }

    @Test
    void theClassPathDoesAsWellAndVectorsMayBeMissing() throws Exception {
        String said = run("--enable-native-access=ALL-UNNAMED", "-cp", JARS + "/*", "Plain.java", "digits.csv");
        assertTrue(accuracy(said) >= 0.96, said);
        assertEquals(1, said.lines().filter(l -> l.contains(VECTORS)).count(), said);
    }

    @Test
    void theStepsOfTheTutorialSayWhatTheyPromise() throws Exception {
        Matcher steps = PROGRAM.matcher(Files.readString(Path.of("..", "docs", "tutorial.md")));
        int count = 0;
        while (steps.find()) {
            Files.writeString(home.resolve("Step.java"), steps.group(1));
            String said = run("-p", JARS.toString(), "--add-modules", "dev.oxbow," + VECTORS, "Step.java");
            Matcher promises = PROMISE.matcher(steps.group(1));
            while (promises.find()) assertTrue(said.contains(promises.group(1)), promises.group(1) + " in " + said);
            count++;
        }
        assertEquals(3, count);
    }

    private static double accuracy(String said) {
        Matcher m = ACCURACY.matcher(said);
        assertTrue(m.find(), said);
        return Double.parseDouble(m.group(1));
    }

    private static String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(JAVA.toString(), "-Xmx512m"));
        command.addAll(List.of(arguments));
        Process p = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(p.getInputStream().readAllBytes());
        assertTrue(p.waitFor(200, TimeUnit.SECONDS));
        assertEquals(0, p.exitValue(), said);
        return said;
    }
}
