package dev.oxbow.natives;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A folder of files from jars, so that they can be loaded. Files are written beside their place and moved there in one
 * step, so processes may share the folder; one of the wrong size is written again.
 */
final class LibraryCache {
    private final Path root;

    LibraryCache(Path root) {
        this.root = root;
    }

    /**
     * The files of one folder in a jar whose names start with {@code prefixes}, in that order, in a folder that is named
     * after {@code name} and their checksums.
     */
    List<Path> files(Path jar, String folder, String name, List<String> prefixes) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            List<ZipEntry> entries = new ArrayList<>();
            for (String prefix : prefixes) {
                zip.stream()
                        .filter(e -> e.getName().startsWith(folder + prefix)
                                && e.getName().indexOf('/', folder.length()) < 0)
                        .forEach(entries::add);
            }
            if (entries.isEmpty()) throw new IOException(jar + " has no " + folder + prefixes.getLast());
            CRC32 all = new CRC32();
            for (ZipEntry e : entries)
                all.update((e.getName() + e.getSize() + e.getCrc()).getBytes(StandardCharsets.UTF_8));
            Path target = writable(name + "-" + Long.toHexString(all.getValue()));
            List<Path> files = new ArrayList<>();
            for (ZipEntry e : entries) {
                Path file = target.resolve(e.getName().substring(folder.length()));
                if (!isWhole(file, e)) extract(zip, e, file);
                files.add(file);
            }
            return files;
        }
    }

    /** The folder, or one of this process alone where it cannot be made. */
    private Path writable(String name) throws IOException {
        try {
            return Files.createDirectories(root.resolve(name));
        } catch (FileSystemException e) {
            return Files.createTempDirectory("oxbow-natives");
        }
    }

    private static boolean isWhole(Path file, ZipEntry e) {
        try {
            return Files.size(file) == e.getSize();
        } catch (IOException _) {
            return false;
        }
    }

    private static void extract(ZipFile zip, ZipEntry e, Path file) throws IOException {
        Path part = Files.createTempFile(file.getParent(), "part", null);
        try (CheckedInputStream in = checked(zip.getInputStream(e))) {
            Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
            if (in.getChecksum().getValue() != e.getCrc())
                throw new IOException(zip.getName() + ": " + e.getName() + " is damaged");
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AccessDeniedException denied) {
            // Windows does not replace a file that another process has loaded; that one is whole.
            if (!isWhole(file, e)) throw denied;
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static CheckedInputStream checked(InputStream in) {
        return new CheckedInputStream(in, new CRC32());
    }

    /** The folder of this user for files that can be made again, or {@code -Doxbow.natives.cache}. */
    static Path userFolder() {
        String own = System.getProperty("oxbow.natives.cache");
        if (own != null) return Path.of(own);
        Path home = Path.of(System.getProperty("user.home", "."));
        String set = System.getenv(Platform.isWindows() ? "LOCALAPPDATA" : "XDG_CACHE_HOME");
        Path base = set != null && !set.isBlank()
                ? Path.of(set)
                : home.resolve(Platform.isMac() ? "Library/Caches" : Platform.isWindows() ? "AppData/Local" : ".cache");
        return base.resolve("oxbow");
    }
}
