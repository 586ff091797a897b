package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.RecordFrame;
import dev.oxbow.wire.WholeFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Elements in a folder, for this program and later ones. They are put behind each other in one file, each with its checksums; a
 * second file says where they are, and is replaced whole when an epoch is closed. What that file does not name was never there: a
 * program that died while it wrote leaves nothing that is used.
 */
final class KeptOnDisk<T> implements Kept<T> {
    private static final int VERSION = 2;
    private static final Map<Path, KeptOnDisk<?>> USED = new ConcurrentHashMap<>();

    /** Where an element lies. */
    private record Place(long offset, int bytes) {}

    private final Path folder;
    private final String made;
    private final Map<Long, Place> places = new ConcurrentHashMap<>();

    /** No channel, which the interrupt of any thread that reads or writes would close for all of them. */
    private volatile RandomAccessFile file;

    private long end;
    private long saved = -1;
    private volatile long size = -1;
    private boolean full;
    private int users;

    /** The one of a folder, which all pipelines of this program share; other programs are kept out until it ends. */
    @SuppressWarnings("unchecked")
    static <T> KeptOnDisk<T> of(Path folder, String made) {
        Path place = folder.toAbsolutePath().normalize();
        KeptOnDisk<T> there = (KeptOnDisk<T>) USED.computeIfAbsent(place, p -> new KeptOnDisk<>(p, made));
        there.checkMaker(there.made, made);
        return there;
    }

    /** Gives up the folder, as the end of the program does. */
    static void leave(Path folder) throws IOException {
        KeptOnDisk<?> there = USED.remove(folder.toAbsolutePath().normalize());
        if (there != null && there.file != null) there.file.close();
    }

    private void checkMaker(String there, String wanted) {
        require(
                there.equals(wanted),
                FAILED_PRECONDITION,
                "cache: %s has the elements of '%s', wanted are those of '%s'",
                folder,
                there,
                wanted);
    }

    /** @param made what makes the elements; a folder of others is refused */
    private KeptOnDisk(Path folder, String made) {
        this.folder = folder;
        this.made = made;
    }

    private Path index() {
        return folder.resolve("index");
    }

    private OxbowException failed(String what, IOException e) {
        return new OxbowException(FAILED_PRECONDITION, "cache: can not %s %s: %s".formatted(what, folder, e), e);
    }

    /** Opens the files for the first who uses them; one program at a time has them. */
    private void open() {
        if (file != null) return;
        places.clear();
        end = 0;
        saved = -1;
        size = -1;
        full = false;
        try {
            Files.createDirectories(folder);
            RandomAccessFile opened =
                    new RandomAccessFile(folder.resolve("elements").toFile(), "rw");
            if (!isLocked(opened)) {
                opened.close();
                throw new OxbowException(FAILED_PRECONDITION, "cache: %s is used by another program".formatted(folder));
            }
            try {
                if (Files.exists(index())) read(opened.length());
                if (opened.length() > end) opened.setLength(end);
            } catch (OxbowException | IOException e) {
                opened.close();
                throw e;
            }
            file = opened;
        } catch (IOException e) {
            throw failed("open", e);
        }
    }

    private static boolean isLocked(RandomAccessFile opened) throws IOException {
        try {
            FileLock lock = opened.getChannel().tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private void read(long length) throws IOException {
        byte[] framed = Files.readAllBytes(index());
        require(
                framed.length >= RecordFrame.FOOTER && RecordFrame.contentError(framed) == null,
                DATA_LOSS,
                "cache: %s is damaged; delete the folder to make it again",
                index());
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(RecordFrame.content(framed)))) {
            require(in.readInt() == VERSION, FAILED_PRECONDITION, "cache: %s is of another version", index());
            byte[] text = new byte[Math.min(in.readInt(), in.available())];
            in.readFully(text);
            String maker = new String(text, StandardCharsets.UTF_8);
            checkMaker(maker, made);
            size = in.readLong();
            long n = in.readLong();
            for (long i = 0; i < n; i++) {
                long number = in.readLong();
                Place p = new Place(in.readLong(), in.readInt());
                places.put(number, p);
                end = Math.max(end, p.offset + p.bytes);
            }
            saved = n;
        }
        require(
                length >= end,
                DATA_LOSS,
                "cache: %s has %d bytes, its index wants %d; delete the folder to make it again",
                folder.resolve("elements"),
                length,
                end);
    }

    @Override
    @SuppressWarnings("unchecked")
    public T get(long index) {
        Place p = places.get(index);
        if (p == null) return null;
        byte[] framed = new byte[p.bytes];
        int read;
        try {
            read = read(framed, p.offset);
        } catch (IOException e) {
            throw failed("read element " + index + " of", e);
        }
        String wrong = read < p.bytes
                ? "the file ends after %d of %d bytes".formatted(read, p.bytes)
                : RecordFrame.contentError(framed);
        if (wrong != null)
            throw new OxbowException(
                    DATA_LOSS,
                    "cache: element %d in %s at byte %d is lost (%s); delete the folder to make it again"
                            .formatted(index, folder.resolve("elements"), p.offset, wrong));
        return (T) ElementBytes.read(RecordFrame.content(framed));
    }

    private synchronized int read(byte[] to, long at) throws IOException {
        file.seek(at);
        int read = 0;
        for (int n = 0; n >= 0 && read < to.length; n = file.read(to, read, to.length - read)) read += n;
        return read;
    }

    @Override
    public T put(long index, T element) {
        byte[] content = ElementBytes.write(element);
        ByteArrayOutputStream framed = new ByteArrayOutputStream();
        try {
            RecordFrame.write(framed, content);
        } catch (IOException e) {
            throw new IllegalStateException(e); // it is memory
        }
        append(index, framed.toByteArray());
        return element;
    }

    private synchronized void append(long index, byte[] framed) {
        if (places.containsKey(index)) return;
        require(!full, FAILED_PRECONDITION, "cache: %s could not be written before", folder);
        // the length is in the index, so only the content and its checksum are kept
        int n = framed.length - RecordFrame.HEADER;
        try {
            file.seek(end);
            file.write(framed, RecordFrame.HEADER, n);
            places.put(index, new Place(end, n));
            end += n;
            if (users == 0) save(); // it was computed behind the end of its epoch
        } catch (IOException e) {
            full = true;
            throw failed("write element " + index + " to", e);
        }
    }

    @Override
    public synchronized void begin() {
        open();
        users++;
    }

    @Override
    public synchronized void end() {
        users--;
        try {
            if (file != null && !full && saved != places.size()) save();
        } catch (IOException e) {
            throw failed("write", e);
        }
    }

    private void save() throws IOException {
        file.getFD().sync();
        WholeFile.write(index(), out -> {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            DataOutputStream to = new DataOutputStream(content);
            to.writeInt(VERSION);
            byte[] text = made.getBytes(StandardCharsets.UTF_8);
            to.writeInt(text.length);
            to.write(text);
            to.writeLong(size);
            to.writeLong(places.size());
            for (var p : places.entrySet()) {
                to.writeLong(p.getKey());
                to.writeLong(p.getValue().offset);
                to.writeInt(p.getValue().bytes);
            }
            ByteArrayOutputStream framed = new ByteArrayOutputStream();
            RecordFrame.write(framed, content.toByteArray());
            byte[] all = framed.toByteArray();
            out.write(all, RecordFrame.HEADER, all.length - RecordFrame.HEADER);
        });
        saved = places.size();
    }

    @Override
    public long count() {
        return places.size();
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public synchronized void size(long all) {
        if (size != all) saved = -1;
        size = all;
    }

    @Override
    public String describe() {
        return "cache in " + folder;
    }
}
