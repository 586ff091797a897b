package dev.oxbow.collective.algorithm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Segments by which all links carry the same. */
final class PushPullTest {

    @Test
    void everyElementHasOneOwner() {
        for (int n = 1; n <= 9; n++)
            for (int k = 0; k <= 12; k++)
                for (int count : new int[] {0, 1, 5, 1000, 100_003})
                    for (int grain : new int[] {1, 1024}) {
                        long[] counts = PushPullAllReduce.counts(count, n, k, grain);
                        assertEquals(n + k, counts.length);
                        assertEquals(count, Arrays.stream(counts).sum(), n + " workers, " + k + " helpers");
                        for (long c : counts) assertTrue(c >= 0);
                    }
    }

    @Test
    void noLinkCarriesMoreThanTheFormulaSays() {
        double s = 1e9;
        for (int n = 2; n <= 16; n++)
            for (int k = 0; k <= n; k++) {
                long[] counts = PushPullAllReduce.counts((long) s, n, k, 1);
                double most = 2 * s * n * (n - 1) / (n * n + k * n - 2.0 * k);
                for (int r = 0; r < n + k; r++) {
                    double sent = r < n ? s - counts[r] + (n - 1.0) * counts[r] : (double) n * counts[r];
                    assertTrue(sent <= most + n + k, n + " workers, " + k + " helpers: " + sent + " of " + most);
                }
            }
    }

    @Test
    void withoutHelpersSegmentsAreEvenAndWithOneForEachTheWorkersHaveNone() {
        assertArrayEquals(new long[] {25, 25, 25, 25}, PushPullAllReduce.counts(100, 4, 0, 1));
        assertArrayEquals(new long[] {0, 0, 50, 50}, PushPullAllReduce.counts(100, 2, 2, 1));
        assertArrayEquals(new long[] {0, 25, 25, 25, 25}, PushPullAllReduce.counts(100, 1, 4, 1));
        // 4 workers and 2 helpers: (4 - 2) / (16 + 4) of all for a worker, and 3 / 10 for a helper
        assertArrayEquals(new long[] {10, 10, 10, 10, 30, 30}, PushPullAllReduce.counts(100, 4, 2, 1));
    }
}
