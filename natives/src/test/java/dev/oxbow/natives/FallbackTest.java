package dev.oxbow.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    private String probe(boolean withLibraries, String... flags) throws Exception {
        List<String> all = new ArrayList<>(List.of(flags));
        all.add("-Doxbow.natives.cache=" + cache);
        return Child.run(Probe.class, withLibraries, Map.of(), all);
    }
}
