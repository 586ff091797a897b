package dev.oxbow.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All ops, and gradients, in a JVM that was started as any other: on the class path, without a flag of ours. */
@Timeout(300)
final class BareJvmTest {

    @ParameterizedTest
    @CsvSource({
        "--illegal-native-access=warn, without the Vector API",
        "--illegal-native-access=deny, kernels: scalar",
        "--illegal-native-access=deny --add-modules=jdk.incubator.vector, kernels: vector"
    })
    void everyOpWorks(String flags, String kernels, @TempDir Path folder) throws Exception {
        List<String> path = new ArrayList<>();
        for (String property : List.of("java.class.path", "jdk.module.path"))
            path.add(System.getProperty(property, ""));
        for (String classes : List.of("target/classes", "target/test-classes"))
            path.add(Path.of(classes).toAbsolutePath().toString());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags.split(" ")));
        command.addAll(List.of("-Xmx2g", "-cp", String.join(File.pathSeparator, path)));
        command.addAll(List.of(BareProcess.class.getName(), "src/test/answers"));
        Path out = folder.resolve("out"), err = folder.resolve("err");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertEquals(0, process.waitFor(), () -> command.toString());
        List<String> lines = Files.readAllLines(out);
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().matches("\\d{3,} ops .*, \\d{3,} gradients.*"), lines::toString);
        assertTrue(lines.getFirst().endsWith(kernels), lines::toString);
    }
}
