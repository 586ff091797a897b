package dev.oxbow.tensor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
        long least = Math.min(
                number("/proc/meminfo", "MemTotal:", 1024),
                Math.min(
                        number("/sys/fs/cgroup/memory.max", "", 1),
                        number("/sys/fs/cgroup/memory/memory.limit_in_bytes", "", 1)));
        return least == Long.MAX_VALUE ? least : least / 10 * 9;
    }

    /** The number behind {@code prefix} at the start of a file of the system's, in units of {@code scale}. */
    private static long number(String file, String prefix, long scale) {
        try {
            String text = Files.readString(Path.of(file)); // without patterns and streams, which take time to load
            if (!text.startsWith(prefix)) return Long.MAX_VALUE;
            int from = prefix.length();
            while (from < text.length() && text.charAt(from) == ' ') from++;
            int to = from;
            while (to < text.length() && Character.isDigit(text.charAt(to))) to++;
            return to == from || to - from > 15 ? Long.MAX_VALUE : scale * Long.parseLong(text, from, to, 10);
        } catch (IOException _) {
            return Long.MAX_VALUE; // not Linux, or not that kind of container
        }
    }
}
