package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class ProbeTest {
    @Test
    void neighboursInsideAHostAndFirstRanksOfHostsAreMeasured() {
        int[] hostOf = {0, 0, 0, 3, 4, 3, 3, 3};
        int[] inside = {1, 0, -1, 5, -1, 3, 7, 6}, between = {3, -1, -1, 0, -1, -1, -1, -1};
        for (int r = 0; r < hostOf.length; r++) {
            assertEquals(inside[r], Probe.inside(hostOf, r), "rank " + r);
            assertEquals(between[r], Probe.between(hostOf, r), "rank " + r);
        }
    }
}
