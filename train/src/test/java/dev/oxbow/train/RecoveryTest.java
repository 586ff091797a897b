package dev.oxbow.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class RecoveryTest {
    private final AtomicInteger asked = new AtomicInteger();

    private Recovery patient(Duration patience) {
        return new Recovery(null, patience, _ -> {});
    }

    /** Servers that are lost for a while. */
    private void tell(int failures) {
        if (asked.incrementAndGet() <= failures)
            throw new OxbowException(ErrorCode.UNAVAILABLE, "a server is not there");
    }

    @Test
    void serversAreToldWhenTheyAreThereAgain() {
        assertTrue(patient(Duration.ofSeconds(60)).tell(() -> tell(3), () -> false));
        assertEquals(4, asked.get());
    }

    @Test
    void nobodyIsToldForEver() {
        assertFalse(patient(Duration.ZERO).tell(() -> tell(1000), () -> false));
        assertFalse(patient(Duration.ofSeconds(60)).tell(() -> tell(1000), () -> asked.get() == 3));
        assertEquals(3, asked.get());
    }
}
