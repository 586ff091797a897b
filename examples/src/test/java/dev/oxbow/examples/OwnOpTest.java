package dev.oxbow.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleUnaryOperator;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The op of {@code own-op} in a jar that knows nothing of the build: compiled, packed and run as its author would. */
@Timeout(300)
final class OwnOpTest {
    private static final Path SOURCES = Path.of("own-op", "src", "main");
    /** All that this JVM has, which may have it as modules. */
    private static final String CLASS_PATH = Stream.of("java.class.path", "jdk.module.path")
            .map(p -> System.getProperty(p, ""))
            .collect(Collectors.joining(File.pathSeparator));

    @TempDir
    private Path folder;

    @Test
    void anOpInItsOwnJarIsFoundComputedAndDifferentiated() throws Exception {
        Path classes = Files.createDirectory(folder.resolve("classes")), jar = folder.resolve("own.jar");
        List<String> javac = new ArrayList<>(List.of("javac", "-d", classes.toString(), "-cp", CLASS_PATH));
        for (Path p : files(SOURCES.resolve("java"))) javac.add(p.toString());
        run(javac);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (Path root : List.of(classes, SOURCES.resolve("resources")))
                for (Path p : files(root)) {
                    out.putNextEntry(new JarEntry(root.relativize(p).toString().replace(File.separatorChar, '/')));
                    Files.copy(p, out);
                }
        }
        List<String> lines = run(List.of("java", "-cp", jar + File.pathSeparator + CLASS_PATH, "com.example.ops.Main"));
        DoubleUnaryOperator swish = x -> x / (1 + Math.exp(-2 * x));
        double[] x = {-1, 0, 2}, y = Arrays.stream(x).map(swish).toArray();
        double[] dx = Arrays.stream(x)
                .map(v -> (swish.applyAsDouble(v + 1e-6) - swish.applyAsDouble(v - 1e-6)) / 2e-6)
                .toArray();
        assertArrayEquals(y, numbers(lines.get(0)), 1e-12);
        assertArrayEquals(y, numbers(lines.get(1)), 1e-12);
        assertArrayEquals(dx, numbers(lines.get(2)), 1e-8);
    }

    private static double[] numbers(String line) {
        return Stream.of(line.replaceAll("[\\[\\],]", " ").strip().split(" +"))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    private static List<Path> files(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    /** What a tool of this JDK prints, without its complaints. */
    private List<String> run(List<String> command) throws Exception {
        List<String> whole = new ArrayList<>(command);
        whole.set(
                0,
                Path.of(System.getProperty("java.home"), "bin", command.getFirst())
                        .toString());
        Path out = folder.resolve("out"), err = folder.resolve("err");
        Process p = new ProcessBuilder(whole)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertTrue(p.waitFor(60, TimeUnit.SECONDS), command::toString);
        assertEquals(0, p.exitValue(), Files.readString(err));
        return Files.readAllLines(out);
    }
}
