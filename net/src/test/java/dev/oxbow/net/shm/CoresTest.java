package dev.oxbow.net.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class CoresTest {
    private static String allowed() throws Exception {
        try (var lines = Files.lines(Path.of("/proc/thread-self/status"))) {
            return lines.filter(l -> l.startsWith("Cpus_allowed:")).findFirst().orElseThrow();
        }
    }

    @Test
    void aThreadLeavesACoreAndMayUseAllOfThemAfterwards() throws Exception {
        assumeTrue(Cores.here() >= 0 && Runtime.getRuntime().availableProcessors() > 1, "there is no other core");
        String before = allowed();
        int moved = 0;
        for (int i = 0; i < 20; i++) {
            int here = Cores.here();
            assertTrue(Cores.leave(here));
            if (Cores.here() != here) moved++; // it may be sent back at once
        }
        assertNotEquals(0, moved);
        assertEquals(before, allowed());
    }

    @Test
    void whatIsNoCoreIsNotLeft() {
        assertFalse(Cores.leave(-1));
        assertFalse(Cores.leave(1 << 20));
    }
}
