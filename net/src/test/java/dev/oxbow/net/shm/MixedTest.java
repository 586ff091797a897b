package dev.oxbow.net.shm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.Link;
import dev.oxbow.net.Rig;
import dev.oxbow.net.Transport;
import dev.oxbow.net.memory.Network;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MixedTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private final Arena arena = Arena.ofAuto();
    private final long memory = arena.allocate(64, 64).address();

    private List<Mixed> join(String... hosts) {
        List<Network> worlds = Network.mesh(hosts.length);
        ShmConfig config = ShmConfig.DEFAULT
                .withDirectory(directory)
                .withRingBytes(1 << 12)
                .withArenaBytes(1 << 20)
                .withWaiting(Duration.ZERO, Duration.ZERO);
        return Rig.joined(hosts.length, rank -> Mixed.join(worlds.get(rank), hosts[rank], "job", config, LIMIT));
    }

    @Test
    void ranksOfAHostShareMemoryAndTheOthersDoNot() {
        List<Mixed> ranks = join("a", "b", "a", "c", "b");
        try {
            for (Mixed rank : ranks)
                assertArrayEquals(
                        new int[] {0, 1, 0, 3, 1},
                        IntStream.range(0, 5).map(rank::host).toArray());
            long shared = ranks.get(2).allocateShared(64);
            assertTrue(ranks.get(2).link(0).share(shared, 64) >= 0);
            assertEquals(-1, ranks.get(2).link(1).share(shared, 64));
            assertEquals(0, ranks.get(3).allocateShared(64));
            assertEquals("rank 2", ranks.get(0).link(2).peer());
            assertEquals("rank 0", ranks.get(2).link(0).peer());
            assertEquals("rank 3", ranks.get(0).link(3).peer());
            ranks.get(2).close();
            OxbowException e = assertThrows(
                    OxbowException.class, () -> ranks.get(0).link(2).available());
            assertEquals("rank 2 closed the connection", e.getMessage());
        } finally {
            ranks.forEach(Mixed::close);
        }
    }

    @Test
    void aRankThatSleepsIsWokenFromEitherSide() {
        long before = MemoryPool.shared().bytesInUse();
        List<Mixed> ranks = join("a", "a", "b");
        List<CompletableFuture<Void>> echoes = List.of(echo(ranks.get(1)), echo(ranks.get(2)));
        try (Mixed own = ranks.get(0)) {
            long start = System.nanoTime();
            for (int i = 0; i < 4_000; i++) {
                Link link = own.link(1 + i % 2);
                Memory.putLong(memory, i);
                assertEquals(8, link.write(memory, 8));
                link.flush();
                while (link.available() < 8) {
                    own.await(LIMIT.toNanos()); // 0.2 s when nobody ends it
                    assertTrue(System.nanoTime() - start < LIMIT.toNanos(), "round " + i);
                }
                assertEquals(i, Memory.getLong(link.address()));
                link.skip(8);
            }
        }
        echoes.forEach(CompletableFuture::join);
        ranks.get(1).close();
        ranks.get(2).close();
        assertTrue(MemoryPool.shared().bytesInUse() <= before, "memory is given back");
    }

    private static CompletableFuture<Void> echo(Transport transport) {
        return CompletableFuture.runAsync(
                () -> {
                    Arena arena = Arena.ofAuto();
                    long scratch = arena.allocate(8).address();
                    Link link = transport.link(0);
                    OxbowException end = assertThrows(OxbowException.class, () -> {
                        while (true) {
                            if (link.read(scratch, 8) > 0) {
                                link.write(scratch, 8);
                                link.flush();
                            } else transport.await(LIMIT.toNanos());
                        }
                    });
                    assertEquals("rank 0 closed the connection", end.getMessage());
                },
                task -> Thread.ofPlatform().start(task));
    }
}
