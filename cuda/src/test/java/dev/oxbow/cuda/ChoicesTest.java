package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was timed once is remembered, by this process and by others. */
final class ChoicesTest {
    @TempDir
    private Path folder;

    private final AtomicInteger trials = new AtomicInteger();

    private Choices choices(int version) {
        return new Choices(folder.resolve("kept"), "blas", version, "NVIDIA H200 (x)");
    }

    private int way(Choices c, String work, int found) {
        return c.way(work, 16, () -> {
            trials.incrementAndGet();
            return found;
        });
    }

    @Test
    void aWorkIsTriedOnceEvenByALaterProcess() {
        Choices first = choices(1);
        assertEquals(3, way(first, "a product", 3));
        assertEquals(3, way(first, "a product", 5));
        assertEquals(-1, way(first, "another", -1));
        Choices later = choices(1);
        assertEquals(3, way(later, "a product", 7));
        assertEquals(-1, way(later, "another", 7));
        assertEquals(2, trials.get());
    }

    @Test
    void anotherVersionOfTheLibraryIsTriedAnew() {
        way(choices(1), "a product", 3);
        assertEquals(4, way(choices(2), "a product", 4));
        assertEquals(2, trials.get());
    }

    @Test
    void aChoiceThatTheLibraryDoesNotOfferAnyMoreIsMadeAnew() {
        way(choices(1), "a product", 12);
        assertEquals(2, choices(1).way("a product", 4, () -> 2));
        assertEquals(2, way(choices(1), "a product", 9));
    }

    @Test
    void linesThatWereCutOffArePassedOver() throws Exception {
        way(choices(1), "a product", 3);
        Path file = Files.list(folder.resolve("kept")).findFirst().get();
        Files.writeString(file, Files.readString(file) + "another\tx1\n\n\t5\nhalf a li");
        assertEquals(3, way(choices(1), "a product", 8));
        assertEquals(6, way(choices(1), "another", 6));
    }

    @Test
    void whereNothingCanBeKeptChoicesLastAsLongAsTheProcess() throws Exception {
        Files.writeString(folder.resolve("kept"), "a file where a folder should be");
        Choices c = choices(1);
        assertEquals(3, way(c, "a product", 3));
        assertEquals(3, way(c, "a product", 4));
        assertEquals(1, way(new Choices(null, "blas", 1, "card"), "a product", 1));
    }
}
