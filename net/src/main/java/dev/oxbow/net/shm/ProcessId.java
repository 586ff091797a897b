package dev.oxbow.net.shm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * One run of a process.
 *
 * @param pid its number
 * @param start when it began, so that a later process with the same number is another
 * @param namespace where its number means something
 */
record ProcessId(long pid, long start, long namespace) {
    private static final Path PROC = Path.of("/proc");
    private static final boolean HAS_PROC = Files.isReadable(PROC.resolve("self/stat"));
    /** Fields of /proc/PID/stat after the name in parentheses, which may itself hold anything. */
    private static final int STATE = 0;

    private static final int START_TIME = 19;
    private static final long NONE = -1;
    private static final long UNKNOWN = -2;

    private static final ProcessId SELF = new ProcessId(
            ProcessHandle.current().pid(), startOf(ProcessHandle.current().pid()), ownNamespace());

    static ProcessId self() {
        return SELF;
    }

    /** Whether it certainly has ended; a process of another namespace never has. */
    boolean isGone() {
        if (namespace != SELF.namespace || pid == SELF.pid) return false;
        long found = startOf(pid);
        return found != start && found != UNKNOWN;
    }

    /** When the living process of a number began, {@link #NONE} when there is none. */
    private static long startOf(long pid) {
        if (!HAS_PROC) {
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .flatMap(p -> p.info().startInstant())
                    .map(Instant::toEpochMilli)
                    .orElse(NONE);
        }
        try {
            String stat = new String(Files.readAllBytes(PROC.resolve(pid + "/stat")), StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            boolean ended = fields[STATE].equals("Z") || fields[STATE].equals("X");
            return ended ? NONE : Long.parseLong(fields[START_TIME]);
        } catch (IOException e) {
            // One that ends while its file is read is no longer there at the next look.
            return Files.exists(PROC.resolve(Long.toString(pid))) ? UNKNOWN : NONE;
        }
    }

    private static long ownNamespace() {
        try {
            return Files.readSymbolicLink(PROC.resolve("self/ns/pid"))
                    .toString()
                    .hashCode();
        } catch (IOException | UnsupportedOperationException e) {
            return 0;
        }
    }
}
