package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * A store in a directory that all hosts of a job share: one file per key, under the job's own name. A file appears
 * whole, by rename. Closing removes the keys that this store put; the last store to close removes the rest. A job that
 * was killed leaves its files behind, so that the next one should have another name.
 */
public final class FileStore implements Store {
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(10);
    private static final long FIRST_PAUSE = 500_000;
    private static final long LONGEST_PAUSE = 50_000_000;
    private static final int MAX_NAME = 200;
    private static final int OPEN_TRIES = 10;

    /** File locks are held by a process, so that its threads take turns first. */
    private static final ReentrantLock TURN = new ReentrantLock();

    private final Path directory;
    private final Path member;
    private final Set<Path> mine = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public FileStore(Path root, String job) {
        require(
                !job.isBlank() && job.length() <= 128,
                INVALID_ARGUMENT,
                "file store: a job has 1 to 128 characters: %s",
                job);
        directory = root.resolve("oxbow-" + fileName(job));
        member = directory.resolve("m-" + UUID.randomUUID());
        for (int tries = OPEN_TRIES; ; tries--) {
            try {
                Files.createDirectories(directory);
                Files.createFile(member);
                return;
            } catch (IOException e) {
                // the last user of the directory may be removing it just now
                if (tries == 0) throw failed("can not make", member, e);
            }
        }
    }

    @Override
    public void put(String key, byte[] value) {
        Store.check(key, value);
        Path file = file("v-", key);
        mine.add(file);
        write(file, value);
    }

    @Override
    public byte[] get(String key, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        for (long pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
            Optional<byte[]> value = find(key);
            if (value.isPresent()) return value.get();
            long left = end - System.nanoTime();
            require(
                    left > 0 && !Thread.currentThread().isInterrupted(),
                    DEADLINE_EXCEEDED,
                    "file store: nobody has put %s within %s in %s",
                    key,
                    timeout,
                    directory);
            LockSupport.parkNanos(Math.min(pause, left));
        }
    }

    @Override
    public Optional<byte[]> find(String key) {
        Store.check(key);
        return read(file("v-", key));
    }

    @Override
    public long add(String key, long delta) {
        Store.check(key);
        Path file = file("c-", key), lock = directory.resolve("lock");
        TURN.lock();
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = locked(channel)) {
            byte[] old = read(file).orElseGet(() -> new byte[Long.BYTES]);
            require(old.length == Long.BYTES, DATA_LOSS, "file store: %s has %d bytes, not 8", file, old.length);
            long sum = ByteBuffer.wrap(old).getLong() + delta;
            write(file, ByteBuffer.allocate(Long.BYTES).putLong(0, sum).array());
            return sum;
        } catch (IOException e) {
            throw failed("can not lock", lock, e);
        } finally {
            TURN.unlock();
        }
    }

    @Override
    public void close() {
        if (closed) return;
        closed = true;
        try {
            for (Path file : mine) Files.deleteIfExists(file);
            Files.deleteIfExists(member);
            List<Path> left = files();
            if (left.stream().anyMatch(f -> f.getFileName().toString().startsWith("m-"))) return;
            for (Path file : left) Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        } catch (DirectoryNotEmptyException _) {
            // somebody has opened it again
        } catch (IOException e) {
            throw failed("can not clean up", directory, e);
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        } catch (NoSuchFileException _) {
            return List.of();
        }
    }

    private Path file(String kind, String key) {
        require(!closed, UNAVAILABLE, "file store: %s was closed", directory);
        return directory.resolve(kind + fileName(key));
    }

    private void write(Path file, byte[] value) {
        Path temporary = null;
        try {
            temporary = Files.createTempFile(directory, "new-", "");
            Files.write(temporary, value);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            if (temporary != null) temporary.toFile().delete();
            throw failed("can not write", file, e);
        }
    }

    private static Optional<byte[]> read(Path file) {
        try (var in = Files.newInputStream(file)) {
            byte[] value = in.readNBytes(MAX_VALUE + 1);
            require(value.length <= MAX_VALUE, DATA_LOSS, "file store: %s has more than %d bytes", file, MAX_VALUE);
            return Optional.of(value);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException e) {
            throw failed("can not read", file, e);
        }
    }

    private static FileLock locked(FileChannel channel) throws IOException {
        long end = System.nanoTime() + LOCK_TIMEOUT.toNanos();
        while (true) {
            FileLock lock = channel.tryLock();
            if (lock != null) return lock;
            if (System.nanoTime() - end > 0) throw new IOException("another process held it for " + LOCK_TIMEOUT);
            LockSupport.parkNanos(FIRST_PAUSE);
        }
    }

    /** Letters, digits, dots, hyphens stay, other bytes become {@code _} and two digits; long names end in a hash. */
    private static String fileName(String key) {
        StringBuilder name = new StringBuilder();
        for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
            boolean plain =
                    b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '.' || b == '-';
            if (plain) name.append((char) b);
            else name.append('_').append(HexFormat.of().toHexDigits(b));
        }
        if (name.length() <= MAX_NAME) return name.toString();
        byte[] digest = Token.digest(key.getBytes(StandardCharsets.UTF_8));
        return name.substring(0, MAX_NAME - 70) + "_." + HexFormat.of().formatHex(digest);
    }

    private static OxbowException failed(String what, Path file, IOException e) {
        return new OxbowException(UNAVAILABLE, "file store: " + what + " " + file + ": " + e, e);
    }
}
