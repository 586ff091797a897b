package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.parallel.Served;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Plans as they are written on the command line. */
final class PlanTextTest {
    private static PlanText read(String text) {
        return new PlanText.Reader().convert(text);
    }

    @Test
    void plansOfServersSayHowWorkersWait() {
        assertTrue(read("ps").served(2, 4, 1).served().isSynchronous());
        assertEquals(Served.ANY, read("ps-async").served(2, 4, 1).served().staleness());
        assertEquals(4, read("ps-stale:4").served(2, 4, 1).served().staleness());
        assertFalse(read("ps").served(2, 4, 1).isReplicated());
        assertTrue(read("ps-stale:4+replicated").served(2, 4, 1).isReplicated());
        assertEquals("ps-stale:4+replicated", read("ps-stale:4+replicated").toString());
        assertNull(read("ps").served(2, 4, 1).ahead());
        assertEquals(List.of(), read("ps-async+prefetch").served(2, 4, 1).ahead());
        assertEquals(2, read("ps-async+copies").served(2, 4, 1).shardCopies());
        assertEquals(
                "--plan ps+copies holds each shard twice: give --servers 2 at least",
                read("ps+copies").refusal(true, null, 1, null));
        assertTrue(read("ring+across-steps").of(true, 1).crossesSteps());
        assertTrue(read("push-pull:2+across-steps").of(true, 1).crossesSteps());
        assertEquals(3, read("ps").served(2, 4, 3).devices());
        assertEquals(3, read("push-pull:2").of(true, 3).devices());
        assertEquals(2, read("replicas").devices(null));
        assertEquals(1, read("ring").devices(null));
        assertTrue(read("replicas+async").of(false, 3).isOnHost());
        assertFalse(read("replicas").of(false, 3).isOnHost());
        assertFalse(read("ring").isServed());
        assertEquals(2, read("push-pull:2").helpers());
        assertEquals(0, read("ps-stale:4").helpers());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "pss",
                "ps:2",
                "ps-stale",
                "ps-stale:",
                "ring:1",
                "ps-stale:-1",
                "push-pull",
                "ring+replicated",
                "ring+prefetch",
                "ps+",
                "ps+x"
            })
    void whatIsNoPlanIsRefused(String text) {
        assertThrows(TypeConversionException.class, () -> read(text));
    }

    @Test
    void optionsThatDoNotFitAreNamed() {
        assertEquals("--plan ps is for workers: give --workers, too", read("ps").refusal(false, null, null, null));
        assertEquals(
                "--servers is for --plan ps, ps-async, ps-stale and push-pull",
                read("ring").refusal(true, null, 2, null));
        assertEquals(
                "--plan push-pull:2 has 2 helpers, and --servers says 3",
                read("push-pull:2").refusal(true, null, 3, null));
        assertNull(read("push-pull:2").refusal(true, null, 2, null));
        assertEquals("--wire is for --plan ring and push-pull", read("ps-async").refusal(true, null, 2, "bf16"));
        assertEquals("--servers must be at least 1, got 0", read("ps").refusal(true, null, 0, null));
        assertNull(read("ps-stale:1").refusal(true, null, 2, null));
    }
}
