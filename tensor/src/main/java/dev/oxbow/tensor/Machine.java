package dev.oxbow.tensor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** How much memory there is to share between all pools of the process. */
final class Machine {

    /*
     * Linux promises memory that it does not have, and kills the process that believes it. So pools take no more
     * than nine tenths of the machine or of the container, whichever is less; -Doxbow.memory=BYTES says otherwise.
     */

    /** The bytes that all pools together may take from the system; unlimited where nothing tells. */
    static final long MEMORY = find();

    private Machine() {}

    private static long find() {
        Long set = Long.getLong("oxbow.memory");
        if (set != null) return set;
        long least = Stream.of("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
                .mapToLong(f -> number(Path.of(f), "", 1))
                .reduce(number(Path.of("/proc/meminfo"), "MemTotal:", 1024), Math::min);
        return least == Long.MAX_VALUE ? least : least / 10 * 9;
    }

    /** The number behind {@code prefix} in a file of the system's, in units of {@code scale}. */
    private static long number(Path file, String prefix, long scale) {
        try {
            for (String line : Files.readAllLines(file)) {
                String digits = line.replaceAll("\\D", "");
                if (line.startsWith(prefix) && !digits.isEmpty() && digits.length() < 16)
                    return Long.parseLong(digits) * scale;
            }
        } catch (IOException _) {
            // not Linux, or not that kind of container
        }
        return Long.MAX_VALUE;
    }
}
