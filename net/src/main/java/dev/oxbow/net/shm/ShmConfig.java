package dev.oxbow.net.shm;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * How ranks of one host share memory.
 *
 * @param directory where the files lie until every rank has mapped them
 * @param ringBytes what each direction of a link holds, a power of two; 0 for a size that suits the number of ranks
 * @param arenaBytes the most that a rank can allocate for peers to see; memory is taken only as it is allocated
 * @param spin how long a wait looks again and again when every rank of the host can have a core
 * @param yield how long a wait then lets others run in between, before it sleeps: waking up takes many times what a
 *     small collective does
 * @param watch how often peers' processes are looked for
 */
public record ShmConfig(
        Path directory, long ringBytes, long arenaBytes, Duration spin, Duration yield, Duration watch) {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final long LARGEST_RING = 4 << 20;
    private static final long SMALLEST_RING = 64 << 10;
    /** What the rings of a rank take together when there are many. */
    private static final long RINGS = 16 << 20;

    public static final ShmConfig DEFAULT = new ShmConfig(
            Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir")),
            0,
            1L << 30,
            Duration.ofNanos(20_000),
            Duration.ofMillis(2),
            Duration.ofMillis(200));

    public ShmConfig {
        require(
                ringBytes == 0 || Long.bitCount(ringBytes) == 1 && ringBytes >= 64 && ringBytes <= 1 << 30,
                INVALID_ARGUMENT,
                "ShmConfig: ringBytes must be 0 or a power of two from 64 to 1 GB, got %d",
                ringBytes);
        require(
                arenaBytes >= 0 && arenaBytes <= 1L << 44,
                INVALID_ARGUMENT,
                "ShmConfig: arenaBytes must be from 0 to 16 TB, got %d",
                arenaBytes);
        require(
                !spin.isNegative() && !yield.isNegative() && watch.isPositive(),
                INVALID_ARGUMENT,
                "ShmConfig: spin and yield must not be negative and watch must be positive, got %s, %s and %s",
                spin,
                yield,
                watch);
    }

    public ShmConfig withDirectory(Path directory) {
        return new ShmConfig(directory, ringBytes, arenaBytes, spin, yield, watch);
    }

    public ShmConfig withRingBytes(long ringBytes) {
        return new ShmConfig(directory, ringBytes, arenaBytes, spin, yield, watch);
    }

    public ShmConfig withArenaBytes(long arenaBytes) {
        return new ShmConfig(directory, ringBytes, arenaBytes, spin, yield, watch);
    }

    public ShmConfig withWaiting(Duration spin, Duration yield) {
        return new ShmConfig(directory, ringBytes, arenaBytes, spin, yield, watch);
    }

    long ringBytesFor(int size) {
        if (ringBytes > 0) return ringBytes;
        return Math.clamp(Long.highestOneBit(RINGS / size), SMALLEST_RING, LARGEST_RING);
    }
}
