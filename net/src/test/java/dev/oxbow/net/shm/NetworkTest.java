package dev.oxbow.net.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.Rig;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
final class NetworkTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private final Arena arena = Arena.ofAuto();
    private final long memory = arena.allocate(1 << 20, 64).address();
    private final String job = "test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();

    private ShmConfig config() {
        return ShmConfig.DEFAULT.withDirectory(directory).withRingBytes(1 << 16).withArenaBytes(1 << 20);
    }

    @AfterEach
    void noFileIsLeft() throws IOException {
        assertEquals(List.of(), files(directory));
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(f -> f.getFileName().toString().startsWith("oxbow-"))
                    .toList();
        }
    }

    @Test
    void processesTalkAndAKilledOneIsNamed() throws Exception {
        Process first = EchoProcess.start(job, directory, 1, 3);
        Process second = EchoProcess.start(job, directory, 2, 3);
        try (Network network = Network.join(job, 0, 3, config(), LIMIT)) {
            for (int round = 0; round < 100; round++) {
                echo(network, 1, round);
                echo(network, 2, round);
            }
            assertEquals(List.of(), files(directory));
            second.destroyForcibly().waitFor();
            Pipe lost = network.link(2);
            OxbowException e = assertThrows(OxbowException.class, () -> {
                await(network, () -> lost.available() > 0);
            });
            assertEquals(ErrorCode.UNAVAILABLE, e.code());
            assertEquals(
                    "rank 2 ended without closing the connection: process " + second.pid() + " is gone",
                    e.getMessage());
            assertThrows(OxbowException.class, () -> lost.write(memory, 1));
            echo(network, 1, 1000);
        } finally {
            second.destroyForcibly();
        }
        assertTrue(first.waitFor(60, TimeUnit.SECONDS));
        assertEquals(7, first.exitValue(), "rank 1 saw that rank 0 closed");
    }

    private void echo(Network network, int peer, long value) {
        Pipe pipe = network.link(peer);
        Memory.putLong(memory, value);
        assertEquals(8, pipe.write(memory, 8));
        await(network, () -> pipe.available() >= 8);
        assertEquals(value, Memory.getLong(pipe.address()));
        pipe.skip(8);
    }

    private static void await(Network network, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end);
            network.await(100_000_000);
        }
    }

    @Test
    void aRankWithoutRoomEndsTheJoinOfAllOthersAtOnce() throws Exception {
        ProcessId self = ProcessId.self();
        Path refusal = directory.resolve("oxbow-%s-1.%d.%d.full".formatted(job, self.namespace(), self.pid()));
        Path other = directory.resolve("oxbow-%s-0-1.%d.%d.full".formatted(job, self.namespace(), self.pid()));
        Files.createFile(refusal);
        Files.createFile(other);
        OxbowException e = assertThrows(OxbowException.class, () -> Network.join(job, 0, 3, config(), LIMIT));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        String text = "shm: 3 ranks want 0.4 MB of shared memory, and " + directory + " has ";
        assertTrue(e.getMessage().startsWith(text), e.getMessage());
        assertTrue(e.getMessage().endsWith("; --transport tcp (OXBOW_TRANSPORT=tcp) does without"), e.getMessage());
        assertEquals(2, files(directory).size(), "only what was there");
        Network.clear(job, List.of(), config());
    }

    @Test
    void aRankThatCanNotMakeItsRegionTellsTheOthers() throws Exception {
        Path none = directory.resolve("none");
        OxbowException e =
                assertThrows(OxbowException.class, () -> Network.join(job, 0, 2, config().withDirectory(none), LIMIT));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        assertTrue(e.getMessage().contains(none + " can not be used: "), e.getMessage());
    }

    @Test
    void aProcessThatIsEndedWhileItJoinsLeavesNothing() throws Exception {
        Process process = EchoProcess.start(job, directory, 1, 2);
        long end = System.nanoTime() + LIMIT.toNanos();
        while (files(directory).size() < 2) {
            assertTrue(System.nanoTime() < end && process.isAlive());
            Thread.onSpinWait();
        }
        process.destroy();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    }

    @Test
    void whatADeadProcessLeftIsRemovedByTheNextJoin() throws Exception {
        Process process = EchoProcess.start(job, directory, 1, 2);
        Path name = directory.resolve("oxbow-" + job + "-1");
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!Files.exists(name)) {
            assertTrue(System.nanoTime() < end && process.isAlive());
            Thread.onSpinWait();
        }
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(name)));
        process.destroyForcibly().waitFor();
        assertEquals(2, files(directory).size());
        Network.join("another", 0, 1, config(), LIMIT).close();
        assertEquals(List.of(), files(directory));
    }

    @Test
    void ranksThatDoNotComeAreNamed() {
        OxbowException e =
                assertThrows(OxbowException.class, () -> Network.join("j", 1, 3, config(), Duration.ofMillis(50)));
        assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
        assertEquals(
                "shm: rank 1 of job j waited PT0.05S in " + directory
                        + " for rank 0 (no sign of it), rank 2 (no sign of it)",
                e.getMessage());
    }

    @Test
    void aRankThatIsThereTwiceIsAnError() {
        CompletableFuture<Network> waiting =
                CompletableFuture.supplyAsync(() -> Network.join("j", 0, 2, config(), LIMIT));
        while (!Files.exists(directory.resolve("oxbow-j-0"))) Thread.onSpinWait();
        OxbowException e = assertThrows(OxbowException.class, () -> Network.join("j", 0, 2, config(), LIMIT));
        assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
        assertEquals(
                "shm: rank 0 of job j is already there: process "
                        + ProcessHandle.current().pid(),
                e.getMessage());
        try (Network other = Network.join("j", 1, 2, config(), LIMIT)) {
            assertEquals(1, other.rank());
            waiting.join().close();
        }
    }

    @Test
    void ranksThatDisagreeOnTheirNumberFail() {
        List<String> errors = Rig.joined(
                2,
                rank -> assertThrows(
                                OxbowException.class,
                                () -> Network.join("j", rank, 2 + rank, config(), Duration.ofMillis(500)))
                        .getMessage());
        assertTrue(
                errors.contains("shm: rank 0 of 2 of job j was found as rank 0 of 3 by rank 1")
                        || errors.contains("shm: rank 1 of 3 of job j was found as rank 1 of 2 by rank 0"),
                errors::toString);
    }

    @Test
    void badArgumentsAreRefused() {
        for (String name : new String[] {"", "a/b", "../x", ".", "x".repeat(101)})
            assertThrows(OxbowException.class, () -> Network.join(name, 0, 1, config(), LIMIT));
        assertThrows(OxbowException.class, () -> Network.join("j", 1, 1, config(), LIMIT));
        assertThrows(OxbowException.class, () -> config().withRingBytes(100));
        assertThrows(
                OxbowException.class,
                () -> Network.join("j", 0, 1, config().withDirectory(directory.resolve("none")), LIMIT));
    }

    @Test
    void anArenaThatIsUsedUpGivesZeroAndOtherMemoryIsNotTouched() {
        try (Network network = Network.join("j", 0, 1, config(), LIMIT)) {
            long a = network.allocateShared(1000);
            long b = network.allocateShared(1 << 19);
            assertTrue(a > 0 && b >= a + 1000);
            Memory.putLong(a + 992, 42);
            assertEquals(0, network.allocateShared(1 << 20));
            long c = network.allocateShared(1000);
            assertTrue(c > b);
            assertEquals(42, Memory.getLong(a + 992));
            assertEquals(0, Memory.getLong(c));
        }
    }

    @Test
    void aSleepingRankIsWokenByBytesByRoomAndByItsOwnProcess() {
        ShmConfig sleepy = config().withWaiting(Duration.ZERO, Duration.ZERO);
        List<Network> networks = Rig.joined(2, rank -> Network.join("j", rank, 2, sleepy, LIMIT));
        try (Network one = networks.get(0);
                Network two = networks.get(1)) {
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
                for (long i = 0; i < 20_000; i++) {
                    Pipe pipe = two.link(0);
                    await(two, () -> pipe.available() >= 8);
                    pipe.skip(8);
                    pipe.write(memory, 8);
                }
            });
            for (long i = 0; i < 20_000; i++) {
                Pipe pipe = one.link(1);
                pipe.write(memory, 8);
                await(one, () -> pipe.available() >= 8);
                pipe.skip(8);
            }
            other.join();
            CompletableFuture<Void> waker = CompletableFuture.runAsync(one::wakeUp);
            one.await(LIMIT.toNanos());
            waker.join();
        }
        networks.get(0).wakeUp();
    }

    @Test
    void nothingLeaksOverManyJoins() throws IOException {
        Rig.joined(2, rank -> Network.join("j", rank, 2, config(), LIMIT)).forEach(Network::close);
        long descriptors = descriptors();
        for (int i = 0; i < 100; i++) {
            String name = "j" + i;
            Rig.joined(2, rank -> Network.join(name, rank, 2, config(), LIMIT)).forEach(Network::close);
        }
        assertEquals(descriptors, descriptors());
        assertFalse(Files.readString(Path.of("/proc/self/maps")).contains("/oxbow-"));
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }
}
