package dev.oxbow.testing.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A mutant of a graph gives a result or an error of ours. */
final class GraphFuzzTest {

    @Test
    void mutantsOfGraphsForSomeSeconds() throws Exception {
        assertEquals(Map.of(), ForkedFuzz.run(GraphFuzz.class, List.of(), 0.1, 1, System.out));
    }

    @Test
    @Tag("long")
    void mutantsOfGraphsForFiveMinutes() throws Exception {
        assertEquals(Map.of(), ForkedFuzz.run(GraphFuzz.class, List.of(), 5, System.nanoTime() >>> 32, System.out));
    }
}
