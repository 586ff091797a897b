package dev.oxbow.net.launch;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the ranks of a job tell their launcher: that they join, that they have, and whom they hold to be lost. Each is the
 * name of an empty file in a folder of the launcher's.
 */
public final class Notices {
    /** The variable that names the folder. */
    public static final String VARIABLE = "OXBOW_NOTICES";

    private static final Logger LOG = LoggerFactory.getLogger(Notices.class);
    private static final Pattern BLAME = Pattern.compile("blames-(\\d{1,9})-(\\d{1,9})");

    private final Path folder;

    private Notices(Path folder) {
        this.folder = folder;
    }

    /** Those to the launcher of this process; where there is none nobody reads them. */
    public static Notices toLauncher(Map<String, String> variables) {
        String folder = variables.getOrDefault(VARIABLE, "");
        return new Notices(folder.isBlank() ? null : Path.of(folder));
    }

    static Notices open() throws IOException {
        return new Notices(Files.createTempDirectory("oxbow-launch"));
    }

    Path folder() {
        return folder;
    }

    /** The rank waits for all others from now on. */
    public void joining(int rank) {
        tell("joining-" + rank);
    }

    /** The rank has met all others. */
    public void joined(int rank) {
        tell("joined-" + rank);
    }

    /** The rank can not go on because of another. */
    public void blames(int rank, int culprit) {
        tell("blames-" + rank + "-" + culprit);
    }

    private void tell(String what) {
        if (folder == null) return;
        try {
            Files.createFile(folder.resolve(what));
        } catch (FileAlreadyExistsException e) {
            return; // told already
        } catch (IOException e) {
            LOG.debug("the launcher is not told {}: {}", what, e.toString());
        }
    }

    boolean isJoining(int rank) {
        return Files.exists(folder.resolve("joining-" + rank));
    }

    boolean hasJoined(int rank) {
        return Files.exists(folder.resolve("joined-" + rank));
    }

    /** The rank that most others hold to be lost. */
    OptionalInt blamed() {
        Map<Integer, TreeSet<Integer>> by = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "blames-*")) {
            for (Path file : files) {
                Matcher m = BLAME.matcher(file.getFileName().toString());
                if (m.matches())
                    by.computeIfAbsent(Integer.parseInt(m.group(2)), _ -> new TreeSet<>())
                            .add(Integer.parseInt(m.group(1)));
            }
        } catch (IOException e) {
            LOG.debug("notices of ranks can not be read: {}", e.toString());
        }
        return by.entrySet().stream()
                .reduce((a, b) -> b.getValue().size() > a.getValue().size() ? b : a)
                .map(e -> OptionalInt.of(e.getKey()))
                .orElse(OptionalInt.empty());
    }

    /** Removes the folder; what a rank tells later is lost. */
    public void clear() {
        if (folder == null || !Files.exists(folder)) return;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            LOG.debug("{} is left: {}", folder, e.toString());
        }
    }
}
