package dev.oxbow.wire.event;

import dev.oxbow.wire.RecordFrame;
import dev.oxbow.wire.proto.Event;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file of events that grows; what is flushed is there for readers. Where the disk has no room, the file goes back to its last
 * whole record and can be written again later; what was not flushed is gone. One thread at a time.
 */
public final class EventFile implements AutoCloseable {
    /** What the first record of a file says. */
    public static final String VERSION = "brain.Event:2";

    /** What the names of files begin with. */
    public static final String PREFIX = "events.out.tfevents.";

    private static final int BUFFER = 1 << 16;
    private static final AtomicInteger FILES = new AtomicInteger();

    private final Path path;
    private final SeekableByteChannel file;
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream(BUFFER);
    private long flushed;

    private EventFile(Path path, SeekableByteChannel file) {
        this.path = path;
        this.file = file;
    }

    /** A file behind a channel that is empty; it begins with its version. */
    public static EventFile on(Path path, SeekableByteChannel file) throws IOException {
        EventFile made = new EventFile(path, file);
        made.write(event(0).setFileVersion(VERSION).build().toByteArray());
        made.flush();
        return made;
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
                return on(path, Files.newByteChannel(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
            } catch (FileAlreadyExistsException e) {
                continue; // of another process with this number
            }
        }
    }

    /** What this machine is called, in letters that may stand in the name of a file. */
    public static String host() {
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

    /** Adds an event, given as its bytes; the offset at which its record begins. */
    public long write(byte[] event) throws IOException {
        long at = flushed + waiting.size();
        RecordFrame.write(waiting, event);
        if (waiting.size() >= BUFFER) flush();
        return at;
    }

    /** The bytes that readers see: whole records. */
    public long flushed() {
        return flushed;
    }

    public void flush() throws IOException {
        if (waiting.size() == 0) return;
        ByteBuffer bytes = ByteBuffer.wrap(waiting.toByteArray());
        waiting.reset();
        try {
            file.position(flushed);
            while (bytes.hasRemaining()) file.write(bytes);
            flushed += bytes.limit();
        } catch (IOException e) {
            file.truncate(flushed);
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        try (file) {
            flush();
        }
    }
}
