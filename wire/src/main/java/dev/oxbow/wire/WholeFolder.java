package dev.oxbow.wire;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders that are there whole or not at all: filled under another name beside their place, then renamed. */
public final class WholeFolder {
    private static final String UNFINISHED = ".unfinished-";
    private static final String REPLACED = ".replaced-";

    private WholeFolder() {}

    /** The name under which a folder is filled. */
    public static Path unfinished(Path folder) {
        return folder.resolveSibling(UNFINISHED + folder.getFileName());
    }

    /** Whether nothing is lost when a folder is replaced: it is not there, is empty, or has this file. */
    public static boolean isReplaceable(Path folder, String file) throws IOException {
        if (!Files.exists(folder) || Files.exists(folder.resolve(file))) return true;
        if (!Files.isDirectory(folder)) return false;
        try (Stream<Path> all = Files.list(folder)) {
            return all.findAny().isEmpty();
        }
    }

    /** Puts a filled folder at its place; one that was there goes when the new one is there. */
    public static void replace(Path part, Path folder) throws IOException {
        force(part);
        Path old = folder.resolveSibling(REPLACED + folder.getFileName());
        delete(old);
        if (Files.exists(folder)) Files.move(folder, old, StandardCopyOption.ATOMIC_MOVE);
        Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
        force(folder.toAbsolutePath().getParent());
        delete(old);
    }

    /** A folder in which those that were about to be replaced when their writer was killed are back at their places. */
    public static Path recovered(Path around) throws IOException {
        List<Path> left;
        try (Stream<Path> all = Files.list(around)) {
            left = all.filter(p -> p.getFileName().toString().startsWith(REPLACED))
                    .toList();
        }
        for (Path old : left) {
            Path folder = around.resolve(old.getFileName().toString().substring(REPLACED.length()));
            if (Files.exists(folder)) delete(old);
            else Files.move(old, folder, StandardCopyOption.ATOMIC_MOVE);
        }
        return around;
    }

    /** Removes a folder with all that is in it. */
    public static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) return;
        List<Path> all = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(tree)) {
            paths.sorted(Comparator.reverseOrder()).forEach(all::add);
        }
        for (Path p : all) Files.deleteIfExists(p);
    }

    /** Removes what a failure may have left; where that fails, too, it stays. */
    public static void discard(Path part) {
        try {
            delete(part);
        } catch (IOException e) {
            return; // the failure before it is the one to be told
        }
    }

    /** Makes sure that what was created in a folder, or renamed there, survives a loss of power. */
    private static void force(Path folder) throws IOException {
        try (FileChannel c = FileChannel.open(folder, StandardOpenOption.READ)) {
            c.force(true);
        }
    }
}
