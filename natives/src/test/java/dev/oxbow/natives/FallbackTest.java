package dev.oxbow.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.tensor.Tensor;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process does whose libraries are not there, not wanted, or damaged. */
final class FallbackTest {
    @TempDir
    private Path cache;

    @Test
    void withoutThePlatformJarsVectorKernelsDoTheWork() throws Exception {
        assertEquals("native (no native library): 100.0", probe(false));
    }

    @Test
    void aLevelCanBeAskedFor() throws Exception {
        assertEquals("vector: 100.0", probe(true, "-Doxbow.kernels=vector"));
        assertEquals("scalar: 100.0", probe(true, "-Doxbow.kernels=scalar"));
    }

    @Test
    void aCutLibraryInTheCacheIsReplaced() throws Exception {
        String whole = probe(true);
        assertTrue(whole.startsWith("native (OpenBLAS") && whole.endsWith("100.0"), whole);
        try (Stream<Path> files = Files.walk(cache)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) Files.write(file, new byte[] {1});
        }
        assertEquals(whole, probe(true));
    }

    private String probe(boolean withLibraries, String... flags)
            throws IOException, InterruptedException, URISyntaxException {
        List<String> path = new ArrayList<>();
        for (Class<?> c :
                List.of(Tensor.class, NativeLibrary.class, Natives.class, Probe.class, org.slf4j.Logger.class))
            path.add(Path.of(c.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString());
        // In tests of a module both folders are one location.
        for (String folder : List.of("target/classes", "target/test-classes"))
            path.add(Path.of(folder).toAbsolutePath().toString());
        if (withLibraries) {
            for (String artifact : List.of("openblas", "dnnl"))
                path.add(PlatformJar.find(artifact, SharedLibrary.version(artifact), Platform.classifier())
                        .orElseThrow()
                        .toString());
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-Doxbow.natives.cache=" + cache));
        command.addAll(Arrays.asList(flags));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, path), Probe.class.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String out = new String(process.getInputStream().readAllBytes());
        assertEquals(0, process.waitFor(), out);
        return out.strip();
    }
}
