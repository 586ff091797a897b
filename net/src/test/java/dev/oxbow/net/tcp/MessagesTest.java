package dev.oxbow.net.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.Answer;
import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.Mesh;
import dev.oxbow.net.MeshConfig;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of a mesh over sockets. */
@Timeout(300)
final class MessagesTest {
    private static final long[] SIZES = {0, 1, 1000, 16 << 10, (1 << 20) + 3, 5_000_000};
    private static final int SIZE = 3;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyRankSendsToEveryOther(boolean tls) {
        long before = MemoryPool.shared().bytesInUse();
        List<Network> ranks = Ranks.form(new MemoryStore(), SIZE, Ranks.config(tls), _ -> {});
        Ranks.onThreads(SIZE, rank -> () -> {
            try (Arena arena = Arena.ofConfined();
                    Mesh mesh = new Mesh(ranks.get(rank), MeshConfig.DEFAULT, (_, _) -> {}, (_, _, _) -> {})) {
                exchange(mesh, arena);
            }
            return rank;
        });
        assertTrue(MemoryPool.shared().bytesInUse() <= before, "memory is given back");
    }

    private static void exchange(Mesh mesh, Arena arena) {
        int[] left = {0};
        long deadline = mesh.transport().nanoTime() + 50_000_000_000L;
        List<OxbowException> errors = new ArrayList<>();
        List<Runnable> checks = new ArrayList<>();
        for (int peer = 0; peer < SIZE; peer++) {
            for (int i = 0; peer != mesh.rank() && i < SIZES.length; i++) {
                long size = SIZES[i],
                        out = arena.allocate(size + 1, 64).address(),
                        in = arena.allocate(size + 1, 64).address();
                Memory.ALL.asSlice(out, size).fill((byte) (10 * mesh.rank() + i));
                left[0] += 2;
                Answer answer = error -> {
                    left[0]--;
                    if (error != null) errors.add(error);
                };
                mesh.send(peer, i, out, size, deadline, answer);
                if (i % 2 == 0) mesh.receive(peer, i, in, size, deadline, answer);
                else mesh.receive(peer, i, size, (at, offset, n) -> Memory.copy(at, in + offset, n), deadline, answer);
                byte expected = (byte) (10 * peer + i);
                checks.add(() -> {
                    Memory.ALL.asSlice(out, size).fill(expected);
                    assertEquals(-1, Memory.ALL.asSlice(in, size).mismatch(Memory.ALL.asSlice(out, size)));
                });
            }
        }
        while (left[0] > 0) if (!mesh.step()) mesh.transport().await(mesh.idleNanos());
        assertEquals(List.of(), errors);
        checks.forEach(Runnable::run);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRankThatEndsIsLostAndNamed(boolean tls) {
        List<Network> ranks = Ranks.form(new MemoryStore(), 2, Ranks.config(tls), _ -> {});
        ranks.get(1).close();
        List<OxbowException> losses = new ArrayList<>();
        try (Mesh mesh = new Mesh(ranks.get(0), MeshConfig.DEFAULT, (_, why) -> losses.add(why), (_, _, _) -> {})) {
            while (losses.isEmpty()) if (!mesh.step()) mesh.transport().await(mesh.idleNanos());
        }
        assertEquals(ErrorCode.UNAVAILABLE, losses.getFirst().code());
        assertEquals(
                ranks.get(0).link(1).peer() + " closed the connection",
                losses.getFirst().getMessage());
    }
}
