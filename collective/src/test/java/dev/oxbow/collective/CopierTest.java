package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CopierTest {
    private static final int MANY = 2000;
    private static final long BYTES = 64 << 10;

    private long now, plainTakes, streamingTakes;
    private int plain, streaming;
    private final Copier copier = new Copier(
            () -> now,
            (_, _, _) -> {
                plain++;
                now += plainTakes;
            },
            (_, _, _) -> {
                streaming++;
                now += streamingTakes;
            });

    @Test
    void followsTheFasterWayWhenThatChanges() {
        takes(30_000, 3_000);
        assertTrue(streaming > MANY * 0.98, streaming + " of " + MANY);
        takes(1_500, 3_000);
        assertTrue(plain > MANY / 3, plain + " of " + MANY);
        takes(1_500, 3_000);
        assertTrue(plain > MANY * 0.98, plain + " of " + MANY);
        takes(30_000, 3_000);
        assertTrue(streaming > MANY * 0.95, streaming + " of " + MANY);
    }

    @Test
    void triesTheSlowerWaySeldom() {
        takes(30_000, 3_000);
        takes(30_000, 3_000);
        assertTrue(plain > 0 && plain <= MANY / 100, plain + " of " + MANY);
    }

    @Test
    void waysThatAreAlikeStayInTheCaches() {
        takes(3_000, 3_000);
        assertTrue(plain > MANY * 0.98, plain + " of " + MANY);
    }

    @Test
    void aCopyThatWasInterruptedChangesNothing() {
        takes(3_000, 9_000);
        plainTakes = 50_000_000;
        copier.copy(0, 0, BYTES);
        takes(3_000, 9_000);
        assertTrue(plain > MANY * 0.98, plain + " of " + MANY);
    }

    @Test
    void aClockThatStandsStillLeavesItAtPlainCopies() {
        takes(0, 0);
        assertTrue(plain > MANY * 0.98, plain + " of " + MANY);
    }

    @Test
    void shortCopiesArePlain() {
        takes(30_000, 3_000);
        plain = streaming = 0;
        for (int i = 0; i < MANY; i++) copier.copy(0, 0, 100);
        assertEquals(0, streaming);
    }

    /** Copies many times, with so many nanoseconds for each way, and counts from 0. */
    private void takes(long plainTakes, long streamingTakes) {
        this.plainTakes = plainTakes;
        this.streamingTakes = streamingTakes;
        plain = streaming = 0;
        for (int i = 0; i < MANY; i++) copier.copy(0, 0, BYTES);
    }
}
