package dev.oxbow.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.oxbow.net.memory.Network;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages that nobody asked for can be dropped by their channel. */
final class ForgetTest {

    @Test
    void onlyMessagesOfTheForgottenChannelAreDropped() {
        List<Network> networks = Network.mesh(2);
        try (Arena arena = Arena.ofConfined();
                Mesh a = new Mesh(networks.get(0), MeshConfig.DEFAULT, (_, _) -> {}, (_, _, _) -> {});
                Mesh b = new Mesh(networks.get(1), MeshConfig.DEFAULT, (_, _) -> {}, (_, _, _) -> {})) {
            long memory = arena.allocate(32, 8).address();
            long late = a.transport().nanoTime() + 3_600_000_000_000L;
            Memory.putLong(memory, 5);
            Memory.putLong(memory + 8, 6);
            a.send(1, 50, 5, memory, 8, late, _ -> {});
            a.send(1, 60, 6, memory + 8, 8, late, _ -> {});
            steps(a, b);
            b.forget(50);
            List<OxbowException> ends = new ArrayList<>();
            b.receive(0, 6, memory + 16, 8, late, ends::add);
            b.receive(0, 5, memory + 24, 8, b.transport().nanoTime(), ends::add);
            a.send(1, 50, 7, memory, 8, late, _ -> {}); // dropped when it comes
            steps(a, b);
            assertEquals(0, b.held(0));
            assertNull(ends.get(0));
            assertEquals(6, Memory.getLong(memory + 16));
            while (ends.size() < 2) b.step();
            assertNotNull(ends.get(1));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, ends.get(1).code());
        }
    }

    private static void steps(Mesh a, Mesh b) {
        for (int i = 0; i < 20; i++) {
            a.step();
            b.step();
        }
    }
}
