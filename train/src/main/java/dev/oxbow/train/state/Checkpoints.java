package dev.oxbow.train.state;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.SafeTensors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a run in a folder, one sub-folder each: {@code step-000000001200} with the values as safetensors and a
 * manifest with sizes and checksums.
 */
public final class Checkpoints {

    /*
     * A checkpoint is written into a folder under another name, every file forced to the disk, and then renamed: it is there
     * whole or not at all, whenever the process or the machine stops. What a torn disk does to it later is found by the
     * checksums; then the one before is used and the log says so. Folders of writers that were killed are removed by the next.
     */

    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final Pattern NAME = Pattern.compile("step-(\\d{12})");
    private static final String VALUES = "state.safetensors";
    private static final String UNFINISHED = ".unfinished-";

    private final Path folder;
    private final int kept;

    /** Checkpoints in a folder, of which the newest {@code kept} stay. */
    public Checkpoints(Path folder, int kept) {
        require(kept > 0, INVALID_ARGUMENT, "checkpoints: at least one must be kept, got %d", kept);
        this.folder = folder;
        this.kept = kept;
    }

    public Path folder() {
        return folder;
    }

    /** Saves; one of the same step is replaced. The older ones that are too many go. */
    public Path save(Checkpoint c) {
        Path to = folder.resolve("step-%012d".formatted(c.position().step()));
        Path part = folder.resolve(UNFINISHED + to.getFileName());
        try {
            Files.createDirectories(folder);
            delete(part);
            Files.createDirectory(part);
            Map<String, String> notes = new LinkedHashMap<>(c.notes());
            SafeTensors.write(part.resolve(VALUES), c.values(), notes);
            Manifest.of(c.position(), c.notes(), part, List.of(VALUES)).write(part);
            force(part);
            delete(to);
            Files.move(part, to, StandardCopyOption.ATOMIC_MOVE);
            force(folder);
            List<Path> all = list();
            for (int i = kept; i < all.size(); i++) delete(all.get(i));
            return to;
        } catch (IOException e) {
            throw failed("can not save to " + to, e);
        }
    }

    /** The newest checkpoint that is whole; those that are not are skipped, and the log names them. */
    public Optional<Checkpoint> latest() {
        for (Path each : list()) {
            try {
                return Optional.of(load(each));
            } catch (OxbowException e) {
                LOG.warn("checkpoint {} can not be used, trying the one before: {}", each, e.getMessage());
            }
        }
        return Optional.empty();
    }

    /** The checkpoint in a folder, whose files are checked first. */
    public static Checkpoint load(Path checkpoint) {
        Manifest m = Manifest.read(checkpoint);
        m.check(checkpoint);
        Map<String, Tensor> values = new LinkedHashMap<>();
        try {
            for (Manifest.File f : m.files())
                try (SafeTensors tensors = SafeTensors.open(checkpoint.resolve(f.name()))) {
                    for (String name : tensors.names())
                        require(
                                values.put(name, tensors.read(name)) == null,
                                DATA_LOSS,
                                "checkpoints: %s has '%s' twice",
                                checkpoint,
                                name);
                }
            return new Checkpoint(m.position(), values, m.notes());
        } catch (RuntimeException e) {
            values.values().forEach(Tensor::close);
            throw e;
        }
    }

    /** The folders of checkpoints, the newest first. */
    public List<Path> list() {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(p -> NAME.matcher(p.getFileName().toString()).matches())
                    .sorted(Comparator.comparing((Path p) -> p.getFileName().toString())
                            .reversed())
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw failed("can not list " + folder, e);
        }
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) return;
        List<Path> all = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(tree)) {
            paths.sorted(Comparator.reverseOrder()).forEach(all::add);
        }
        for (Path p : all) Files.deleteIfExists(p);
    }

    /** Makes sure that what was created in a folder, or renamed there, survives a loss of power. */
    private static void force(Path folder) throws IOException {
        try (FileChannel c = FileChannel.open(folder, StandardOpenOption.READ)) {
            c.force(true);
        }
    }

    static OxbowException failed(String what, IOException e) {
        return new OxbowException(FAILED_PRECONDITION, "checkpoints: " + what + ": " + e, e);
    }
}
