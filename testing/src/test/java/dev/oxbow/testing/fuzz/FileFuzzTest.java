package dev.oxbow.testing.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A mutant of a file is read or refused, and no wrong value of a checkpoint goes unnoticed. */
final class FileFuzzTest {

    @Test
    void mutantsOfFilesForSomeSeconds() throws Exception {
        assertEquals(Map.of(), ForkedFuzz.run(FileFuzz.class, List.of(), 0.1, 1, System.out));
    }

    @Test
    @Tag("long")
    void mutantsOfFilesForFiveMinutes() throws Exception {
        assertEquals(Map.of(), ForkedFuzz.run(FileFuzz.class, List.of(), 5, System.nanoTime() >>> 32, System.out));
    }
}
