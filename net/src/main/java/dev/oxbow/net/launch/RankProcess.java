package dev.oxbow.net.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The process of one rank, and two threads that pass on what it prints. */
final class RankProcess {
    private static final int LAST_LINES = 10;
    private static final int LONGEST_LINE = 64 << 10;
    private static final int BUFFER = 8 << 10;

    /** What every JVM prints that has the Vector API. */
    private static final String NOTICE = "WARNING: Using incubator modules: ";

    private final int rank;
    private final Process process;
    private final LineSink sink;
    private final ArrayDeque<String> last = new ArrayDeque<>();
    private final Thread out;
    private final Thread err;

    RankProcess(int rank, Process process, LineSink sink) {
        this.rank = rank;
        this.process = process;
        this.sink = sink;
        out = passing("output of rank " + rank, process.getInputStream(), false);
        err = passing("errors of rank " + rank, process.getErrorStream(), true);
    }

    /**
     * No virtual thread: one that reads a pipe keeps its carrier, and where as many wait as there are cores, virtual threads
     * that are to run half a minute later, such as those of the store, never do.
     */
    private Thread passing(String name, InputStream from, boolean error) {
        return Thread.ofPlatform().daemon().name(name).start(() -> pass(from, error));
    }

    int rank() {
        return rank;
    }

    Process process() {
        return process;
    }

    /** Asks it to end, or ends it; what it has printed until then can still be read, as it could not after {@link Process#destroy}. */
    void stop(boolean forcibly) {
        if (forcibly) process.toHandle().destroyForcibly();
        else process.toHandle().destroy();
    }

    /** Asks processes to end, kills those that do not within the grace time, and passes on what they print last. */
    static void stopAll(List<RankProcess> all, Duration grace, Duration lastOutput) {
        boolean interrupted = false;
        for (RankProcess p : all) p.stop(false);
        long end = System.nanoTime() + grace.toNanos();
        for (RankProcess p : all) interrupted |= !p.waitFor(end - System.nanoTime());
        for (RankProcess p : all) p.stop(true);
        for (RankProcess p : all) interrupted |= !p.waitFor(TimeUnit.SECONDS.toNanos(10));
        try {
            for (RankProcess p : all) p.drain(lastOutput);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    /** Whether the wait was not interrupted. */
    private boolean waitFor(long nanos) {
        try {
            process.waitFor(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    synchronized List<String> lastLines() {
        return List.copyOf(last);
    }

    /** Waits until everything was passed on; a process that this rank started and left behind can hold that up. */
    void drain(Duration longest) throws InterruptedException {
        out.join(longest);
        err.join(longest);
    }

    private void pass(InputStream from, boolean error) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        byte[] buffer = new byte[BUFFER];
        try (from) {
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                for (int i = 0; i < n; i++) {
                    if (buffer[i] != '\n') line.write(buffer[i]);
                    if (buffer[i] == '\n' || line.size() == LONGEST_LINE) {
                        emit(line, error);
                        line.reset();
                    }
                }
            }
        } catch (IOException e) {
            sink.line(rank, true, "oxbow: its output can not be read any more: " + e.getMessage());
        }
        if (line.size() > 0) emit(line, error);
    }

    private void emit(ByteArrayOutputStream bytes, boolean error) {
        String text = bytes.toString(StandardCharsets.UTF_8);
        if (text.endsWith("\r")) text = text.substring(0, text.length() - 1);
        if (error && text.startsWith(NOTICE)) return;
        if (!text.startsWith("\tat ")) keep(text);
        sink.line(rank, error, text);
    }

    /** Frames of a stack are passed on, but would push out the line that says what happened. */
    private synchronized void keep(String text) {
        if (last.size() == LAST_LINES) last.removeFirst();
        last.addLast(text);
    }
}
