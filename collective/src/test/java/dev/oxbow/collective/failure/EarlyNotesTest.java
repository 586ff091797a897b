package dev.oxbow.collective.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class EarlyNotesTest {
    @Test
    void notesOfGroupsThatNeverFormHaveABound() {
        EarlyNotes early = new EarlyNotes(10_000);
        int dropped = 0;
        for (int i = 0; i < 1000; i++) dropped += early.keep(1, new Note.Agree(i, 1, 2, 0), 36);
        assertTrue(early.held() <= 10_000 && dropped > 900, () -> early.held() + " bytes");
        assertEquals(List.of(), early.take(0));
        List<EarlyNotes.Early> last = early.take(999);
        assertEquals(999, last.getFirst().note().group());
        for (int i = 0; i < 1000; i++) early.take(i);
        assertEquals(0, early.held());
    }
}
