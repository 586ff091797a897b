package dev.oxbow.train.state;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.SafeTensors;
import dev.oxbow.wire.WholeFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a run in a folder, one sub-folder each: {@code step-000000001200} with the values as safetensors, one
 * file for each process that wrote, and a manifest with sizes and checksums.
 */
public final class Checkpoints {

    /*
     * A checkpoint is written into a folder under another name, every file forced to the disk, and then renamed: it is there
     * whole or not at all, whenever processes or machines stop. Several processes write at the same time, each its share;
     * the first one waits until it sees the notes that the others leave beside their files, writes the manifest and renames.
     * They need no message for that, only the folder, so saving never meets the exchanges of a step that goes on. What a
     * torn disk does to a checkpoint later is found by the checksums; then the one before is used and the log says so.
     * Folders of runs that were killed are removed by the next one. Values of which each process has its own, such as what
     * top-k has not sent, are written by every process beside its share, and lie one behind the other when they are read.
     */

    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final Pattern NAME = Pattern.compile("step-(\\d{12})");
    private static final String UNFINISHED = ".unfinished-";
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final long LOOK_NANOS = 2_000_000;

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
        return save(c, Share.whole());
    }

    /**
     * Writes the part of this process. The first one waits for those of the others, so a folder that all of them see is
     * needed, and makes it a checkpoint; the others return when they have written.
     */
    public Path save(Checkpoint c, Share share) {
        Path to = folder.resolve("step-%012d".formatted(c.position().step()));
        if (share.isNone()) return to;
        Position at = c.position();
        Path part =
                folder.resolve(UNFINISHED + "%s-%d-%d-%d".formatted(share.run(), at.step(), at.epoch(), at.batch()));
        try {
            if (share.rank() == 0) removeOthers(share.run());
            Files.createDirectories(part);
            Slices.write(part.resolve(share.file(share.rank())), share.own(c.values()), c);
            Manifest.note(part, share.file(share.rank()));
            if (share.rank() > 0) return to;
            Manifest.of(c.position(), c.notes(), others(part, share)).write(part);
            WholeFolder.replace(part, to);
            List<Path> all = list();
            for (int i = kept; i < all.size(); i++) WholeFolder.delete(all.get(i));
            return to;
        } catch (IOException e) {
            WholeFolder.discard(part);
            throw failed("can not save to " + to, e);
        } catch (RuntimeException e) {
            WholeFolder.discard(part);
            throw e;
        }
    }

    /** What all ranks have written, when they have. */
    private static List<Manifest.File> others(Path part, Share share) throws IOException {
        long end = System.nanoTime() + LONGEST.toNanos();
        List<Manifest.File> files = new ArrayList<>();
        while (files.size() < share.ranks()) {
            Optional<Manifest.File> next = Manifest.noted(part, share.file(files.size()));
            if (next.isPresent()) {
                files.add(next.get());
                continue;
            }
            require(
                    System.nanoTime() < end,
                    DEADLINE_EXCEEDED,
                    "checkpoints: rank %d of %d has not written %s within %s",
                    files.size(),
                    share.ranks(),
                    part.resolve(share.file(files.size())),
                    LONGEST);
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return files;
    }

    /** Removes what runs that were killed have left. */
    private void removeOthers(String run) throws IOException {
        if (!Files.exists(folder)) return;
        List<Path> left;
        try (Stream<Path> all = Files.list(folder)) {
            left = all.filter(p -> p.getFileName().toString().startsWith(UNFINISHED))
                    .filter(p -> !p.getFileName().toString().startsWith(UNFINISHED + run + "-"))
                    .toList();
        }
        for (Path p : left) WholeFolder.delete(p);
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
        try (Slices slices = new Slices()) {
            for (Manifest.File f : m.files())
                try (SafeTensors tensors = SafeTensors.open(checkpoint.resolve(f.name()))) {
                    List<String> sliced = Slices.names(tensors);
                    for (String name : tensors.names()) {
                        if (sliced.contains(name)) slices.add(name, tensors.read(name));
                        else
                            require(
                                    values.put(name, tensors.read(name)) == null,
                                    DATA_LOSS,
                                    "checkpoints: %s has '%s' twice",
                                    checkpoint,
                                    name);
                    }
                }
            return new Checkpoint(m.position(), values, slices.joined(), m.notes());
        } catch (RuntimeException e) {
            values.values().forEach(Tensor::close);
            throw e;
        }
    }

    /** The folders of checkpoints, the newest first. */
    public List<Path> list() {
        try (Stream<Path> all = Files.list(WholeFolder.recovered(folder))) {
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

    static OxbowException failed(String what, IOException e) {
        return new OxbowException(FAILED_PRECONDITION, "checkpoints: " + what + ": " + e, e);
    }
}
