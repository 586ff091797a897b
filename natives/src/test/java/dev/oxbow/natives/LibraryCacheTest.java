package dev.oxbow.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LibraryCacheTest {
    private static final List<String> ORDER = List.of("libfirst", "libabsent", "libsecond");

    @TempDir
    private Path folder;

    @Test
    void filesComeInTheOrderOfTheirPrefixes() throws IOException {
        List<Path> files = files(jar(1));
        assertEquals(
                List.of("libfirst.so.1", "libsecond.so"),
                files.stream().map(f -> f.getFileName().toString()).toList());
        assertArrayEquals(content(1), Files.readAllBytes(files.get(0)));
        assertArrayEquals(content(2), Files.readAllBytes(files.get(1)));
        assertEquals(2, count(files.get(0).getParent()));
    }

    @Test
    void whatIsThereIsUsedAgain() throws IOException {
        Path jar = jar(1), file = files(jar).get(0);
        var before = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        assertEquals(file, files(jar).get(0));
        assertEquals(
                before, Files.readAttributes(file, BasicFileAttributes.class).fileKey());
    }

    @Test
    void aCutFileIsWrittenAgain() throws IOException {
        Path jar = jar(1), file = files(jar).get(1);
        Files.write(file, new byte[] {1, 2, 3});
        assertArrayEquals(content(2), Files.readAllBytes(files(jar).get(1)));
    }

    @Test
    void anotherJarHasAnotherFolder() throws IOException {
        assertNotEquals(files(jar(1)).get(0).getParent(), files(jar(5)).get(0).getParent());
    }

    @Test
    void manyAtOnceGetWholeFiles() throws IOException {
        Path jar = jar(1);
        Set<Path> all = IntStream.range(0, 16)
                .parallel()
                .mapToObj(_ -> {
                    try {
                        List<Path> files = files(jar);
                        assertArrayEquals(content(1), Files.readAllBytes(files.get(0)));
                        return files.get(0);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .collect(Collectors.toSet());
        assertEquals(1, all.size());
        assertEquals(2, count(all.iterator().next().getParent()));
    }

    @Test
    void aJarWithoutTheFilesIsAnError() throws IOException {
        Path jar = jar(1);
        assertThrows(IOException.class, () -> new LibraryCache(folder).files(jar, "libs/", "x-1", List.of("other")));
    }

    private List<Path> files(Path jar) throws IOException {
        return new LibraryCache(folder.resolve("cache")).files(jar, "libs/", "x-1", ORDER);
    }

    private static long count(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.count();
        }
    }

    private static byte[] content(int seed) {
        byte[] bytes = new byte[300_000];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private Path jar(int seed) throws IOException {
        Path jar = folder.resolve("x" + seed + ".jar");
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            put(zip, "libs/libsecond.so", content(seed + 1));
            put(zip, "libs/libfirst.so.1", content(seed));
            put(zip, "libs/deeper/libfirst.so", content(seed));
            put(zip, "libs/libother.so", content(seed));
        }
        return jar;
    }

    private static void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(content);
        zip.closeEntry();
    }
}
