package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.parallel.Served;
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
        assertTrue(read("ps").served(2, 4).served().isSynchronous());
        assertEquals(Served.ANY, read("ps-async").served(2, 4).served().staleness());
        assertEquals(4, read("ps-stale:4").served(2, 4).served().staleness());
        assertFalse(read("ring").isServed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "pss", "ps:2", "ps-stale", "ps-stale:", "ring:1", "ps-stale:-1", "push-pull:2"})
    void whatIsNoPlanIsRefused(String text) {
        assertThrows(TypeConversionException.class, () -> read(text));
    }

    @Test
    void optionsThatDoNotFitAreNamed() {
        assertEquals("--plan ps is for workers: give --workers, too", read("ps").refusal(false, null, null, null));
        assertEquals(
                "--servers is for --plan ps, ps-async and ps-stale",
                read("ring").refusal(true, null, 2, null));
        assertEquals("--wire is for --plan ring", read("ps-async").refusal(true, null, 2, "bf16"));
        assertEquals("--servers must be at least 1, got 0", read("ps").refusal(true, null, 0, null));
        assertNull(read("ps-stale:1").refusal(true, null, 2, null));
    }
}
