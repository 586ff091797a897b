package dev.oxbow.wire.event;

import dev.oxbow.wire.RecordFrame;
import dev.oxbow.wire.proto.Event;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

/** A file of events that grows; what is flushed is there for readers. One thread at a time. */
public final class EventFile implements AutoCloseable {
    /** What the first record of a file says. */
    public static final String VERSION = "brain.Event:2";

    /** What the names of files begin with. */
    public static final String PREFIX = "events.out.tfevents.";

    private static final int BUFFER = 1 << 16;
    private static final AtomicInteger FILES = new AtomicInteger();

    private final Path path;
    private final OutputStream out;

    private EventFile(Path path, OutputStream out) {
        this.path = path;
        this.out = out;
    }

    /** A new file in a folder, which is made where it is missing; it begins with its version. */
    public static EventFile create(Path folder, String suffix) throws IOException {
        Files.createDirectories(folder);
        while (true) {
            String name = "%s%010d.%s.%d.%d%s"
                    .formatted(
                            PREFIX,
                            System.currentTimeMillis() / 1000,
                            host(),
                            ProcessHandle.current().pid(),
                            FILES.getAndIncrement(),
                            suffix);
            try {
                Path path = folder.resolve(name);
                OutputStream file =
                        Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                EventFile made = new EventFile(path, new BufferedOutputStream(file, BUFFER));
                made.write(event(0).setFileVersion(VERSION).build().toByteArray());
                made.flush();
                return made;
            } catch (FileAlreadyExistsException e) {
                continue; // of another process with this number
            }
        }
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName().replaceAll("[^\\w.-]", "_");
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** An event of now. */
    public static Event.Builder event(long step) {
        return event(System.currentTimeMillis(), step);
    }

    /** An event of a time in milliseconds since 1970. */
    public static Event.Builder event(long millis, long step) {
        return Event.newBuilder().setWallTime(millis / 1000.0).setStep(step);
    }

    public Path path() {
        return path;
    }

    /** Adds an event, given as its bytes. */
    public void write(byte[] event) throws IOException {
        RecordFrame.write(out, event);
    }

    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
