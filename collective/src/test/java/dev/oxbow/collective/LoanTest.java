package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.Transport;
import dev.oxbow.net.memory.Network;
import dev.oxbow.net.shm.ShmConfig;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

final class LoanTest {
    private static final CommunicatorConfig CONFIG = CommunicatorConfig.DEFAULT.withMeasure(false);
    private static final long BYTES = 1 << 20;

    @Test
    void whatIsGivenBackIsLentAgain() {
        try (Communicator c = Communicator.start(Network.mesh(1).get(0), CONFIG)) {
            Loan first = c.lend(1000);
            assertTrue(first.bytes() >= 1000);
            long address = first.address();
            Loan second = c.lend(1000);
            assertNotEquals(address, second.address());
            first.close();
            first.close();
            Loan third = c.lend(900);
            assertEquals(address, third.address());
            assertNotEquals(address, c.lend(1000).address());
        }
    }

    @Test
    @DisabledIfSystemProperty(
            named = "oxbow.fence",
            matches = ".+",
            disabledReason = "fenced blocks are never used again")
    void memoryOfTheProcessIsNotUsedForAnythingElseUntilTheLoanHasEnded() {
        Communicator c = Communicator.start(Network.mesh(1).get(0), CONFIG);
        Loan kept = c.lend(BYTES);
        long address = kept.address();
        c.lend(BYTES).close();
        c.close();
        assertFalse(isGivenOut(address));
        kept.close();
        assertTrue(isGivenOut(address));
    }

    /** Whether the pool gives this memory to the next who ask for as much. */
    private static boolean isGivenOut(long address) {
        List<Buffer> taken = new ArrayList<>();
        for (int i = 0; i < 8; i++) taken.add(MemoryPool.shared().allocate(BYTES, "test"));
        taken.forEach(Buffer::release);
        return taken.stream().anyMatch(b -> b.address() == address);
    }

    @Test
    void sharedMemoryCanBeWrittenAfterTheCommunicatorHasClosed() {
        String job = "loan-" + ProcessHandle.current().pid();
        ShmConfig config = ShmConfig.DEFAULT.withArenaBytes(8 * BYTES);
        Transport transport = dev.oxbow.net.shm.Network.join(job, 0, 1, config, Duration.ofSeconds(30));
        Communicator c = Communicator.start(transport, CONFIG);
        Loan loan = c.lend(BYTES);
        c.close();
        for (long i = 0; i < BYTES; i += 8) Memory.putLong(loan.address() + i, i);
        for (long i = 0; i < BYTES; i += 8) assertEquals(i, Memory.getLong(loan.address() + i));
        loan.close();
    }
}
