package dev.oxbow.observe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What somebody asks of a run that goes on, by files in its folder: whoever may write there may ask. */
public final class Requests {
    private static final String STOP = "stop.request", TRACE = "trace.request";

    private Requests() {}

    /** Asks a run to stop. */
    public static void stop(Path run) throws IOException {
        Files.writeString(run.resolve(STOP), "stop\n");
    }

    /** Asks a run to trace a step that is to come. */
    public static void trace(Path run, long step) throws IOException {
        Files.writeString(run.resolve(TRACE), step + "\n");
    }

    public static boolean isStopped(Path run) {
        return Files.exists(run.resolve(STOP));
    }

    /** The step that is to be traced; -1 where nobody asked. */
    public static long traced(Path run) throws IOException {
        Path file = run.resolve(TRACE);
        if (!Files.exists(file)) return -1;
        try {
            return Long.parseLong(Files.readString(file).strip());
        } catch (NumberFormatException e) {
            throw new IOException(file + " has no number of a step", e);
        }
    }

    /** Forgets what was asked, so that the next run in this folder is not stopped by it. */
    public static void clear(Path run) throws IOException {
        Files.deleteIfExists(run.resolve(STOP));
        Files.deleteIfExists(run.resolve(TRACE));
    }
}
