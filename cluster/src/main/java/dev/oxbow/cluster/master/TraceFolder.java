package dev.oxbow.cluster.master;

import dev.oxbow.wire.proto.StepStats;
import dev.oxbow.wire.trace.TraceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder that traces of steps go into, each under a name of its own; the oldest make room for new ones. */
final class TraceFolder {
    private static final Logger LOG = LoggerFactory.getLogger(TraceFolder.class);

    /** When, by which process, and the how many-th of it: several tasks may share a folder, and steps a millisecond. */
    private static final String NAME = "step-%d-%d-%d.json";

    private static final Pattern OURS = Pattern.compile("step-(\\d{1,18})-\\d{1,18}-(\\d{1,18})\\.json");
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Path folder;
    private final int most;

    /** {@code folder} may be null where nothing is ever written. */
    TraceFolder(Path folder, int most) {
        this.folder = folder;
        this.most = most;
    }

    /** Writes a trace; where that fails a line of the log says so, and the step goes on. */
    void write(StepStats stats) {
        Path file = folder.resolve(NAME.formatted(
                System.currentTimeMillis(), ProcessHandle.current().pid(), NUMBERS.incrementAndGet()));
        try {
            Files.createDirectories(folder);
            TraceFile.write(stats, file);
            makeRoom();
        } catch (IOException e) {
            LOG.warn("trace: {} can not be written: {}", file, e.getMessage());
        }
    }

    private void makeRoom() throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.list(folder)) {
            all = files.filter(f -> OURS.matcher(f.getFileName().toString()).matches())
                    .sorted(Comparator.<Path>comparingLong(f -> number(f, 1)).thenComparingLong(f -> number(f, 2)))
                    .toList();
        }
        for (int i = 0; i < all.size() - most; i++) Files.deleteIfExists(all.get(i));
    }

    private static long number(Path file, int group) {
        Matcher m = OURS.matcher(file.getFileName().toString());
        return m.matches() ? Long.parseLong(m.group(group)) : 0;
    }
}
