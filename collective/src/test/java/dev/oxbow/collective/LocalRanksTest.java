package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.algorithm.Algorithm;
import dev.oxbow.collective.algorithm.Exchange;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import org.junit.jupiter.api.Test;

/** The fixture finds the faults that it is there to find. */
final class LocalRanksTest {

    private static void assertFound(String fault, Algorithm first, Algorithm second) {
        try (LocalRanks ranks = new LocalRanks(2, DType.F32, Reduction.SUM, 1)) {
            var e = assertThrows(AssertionError.class, () -> ranks.run(r -> r == 0 ? first : second));
            assertTrue(e.getMessage().contains(fault), e::getMessage);
        }
    }

    @Test
    void memoryThatIsBeingSentMustStay() {
        assertFound(
                "while it was sent",
                e -> {
                    long memory = e.scratch(4);
                    e.send(1, 0, memory, 4, e::finish);
                    Memory.putFloat(memory, 1);
                },
                e -> e.receive(0, 0, e.scratch(4), 4, e::finish));
    }

    @Test
    void messagesMustBeReceivedWithTheirLength() {
        assertFound(
                "lengths differ",
                e -> e.send(1, 0, e.scratch(4), 4, e::finish),
                e -> e.receive(0, 0, e.scratch(4), 3, e::finish));
        assertFound("left over", e -> e.send(1, 0, e.scratch(4), 4, e::finish), Exchange::finish);
    }

    @Test
    void ranksMustFinishOnceAndWithNothingPending() {
        assertFound(
                "finished with messages pending",
                e -> {
                    e.send(1, 0, e.scratch(4), 4, () -> {});
                    e.finish();
                },
                e -> e.receive(0, 0, e.scratch(4), 4, e::finish));
        assertFound("did not finish", e -> {}, Exchange::finish);
        assertFound(
                "finished twice",
                e -> {
                    e.finish();
                    e.finish();
                },
                Exchange::finish);
    }
}
