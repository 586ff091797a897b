package dev.oxbow.ops.summary;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Resource;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.event.EventFile;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * An event file behind a handle. Events are written when so many wait, when the first of them has waited for so long and
 * another one comes, and when it is flushed or closed.
 */
final class EventWriter implements Resource {
    private String folder;
    private long most;
    private long longestNanos;
    private EventFile file;
    private long waiting;
    private long since;

    /** Opens a file in a folder, unless there is one. */
    synchronized void open(String name, long mostEvents, long longestMillis, String suffix) {
        if (file != null) return;
        folder = name;
        Path path = Arguments.path(name);
        try {
            file = EventFile.create(path, suffix);
        } catch (InvalidPathException e) {
            throw new OxbowException(INVALID_ARGUMENT, "filename_suffix has a letter that no name of a file has", e);
        } catch (IOException e) {
            throw Arguments.failed(name, e);
        }
        most = mostEvents;
        longestNanos = longestMillis * 1_000_000;
    }

    synchronized void write(byte[] event) {
        require(file != null, FAILED_PRECONDITION, "the summary writer has no file yet: run CreateSummaryFileWriter");
        try {
            file.write(event);
            if (waiting++ == 0) since = System.nanoTime();
            if (waiting > most || System.nanoTime() - since > longestNanos) flush();
        } catch (IOException e) {
            throw Arguments.failed(folder, e);
        }
    }

    synchronized void flush() {
        waiting = 0;
        try {
            if (file != null) file.flush();
        } catch (IOException e) {
            throw Arguments.failed(folder, e);
        }
    }

    @Override
    public synchronized void close() {
        try {
            if (file != null) file.close();
        } catch (IOException e) {
            throw Arguments.failed(folder, e);
        } finally {
            file = null;
        }
    }

    @Override
    public String kind() {
        return "summary writer";
    }
}
