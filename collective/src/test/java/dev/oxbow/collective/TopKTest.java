package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.algorithm.TopKAllReduce;
import dev.oxbow.collective.algorithm.TopKAllReduce.Kept;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TopKTest {

    @Test
    void resultsAndResidualsAddUpToEverythingGiven() {
        for (int p = 1; p <= 9; p++) {
            for (int n : new int[] {0, 1, 7, 300}) {
                int k = (int) WireFormat.topK(0.1).chosen(n);
                double[] given = new double[n], got = new double[n];
                try (LocalRanks ranks = new LocalRanks(p, DType.F32, Reduction.SUM, p)) {
                    Random random = new Random(p);
                    long[] buffers = new long[p], residuals = new long[p];
                    for (int r = 0; r < p; r++) {
                        buffers[r] = ranks.allocate(n);
                        residuals[r] = ranks.allocate(n);
                    }
                    for (int step = 0; step < 20; step++) {
                        for (int i = 0; i < n; i++) {
                            for (int r = 0; r < p; r++) {
                                int x = random.nextInt(-100, 101);
                                Memory.putFloat(buffers[r] + 4L * i, x);
                                given[i] += x;
                            }
                        }
                        ranks.run(r -> new TopKAllReduce(buffers[r], n, k, kept(n, residuals[r])));
                        for (int i = 0; i < n; i++) {
                            float sum = Memory.getFloat(buffers[0] + 4L * i);
                            got[i] += sum;
                            for (int r = 1; r < p; r++) assertEquals(sum, Memory.getFloat(buffers[r] + 4L * i));
                        }
                    }
                    for (int i = 0; i < n; i++) {
                        double kept = 0;
                        for (int r = 0; r < p; r++) kept += Memory.getFloat(residuals[r] + 4L * i);
                        assertEquals(given[i], got[i] + kept);
                    }
                }
            }
        }
    }

    @Test
    void whatIsKeptShrinksByItsBound() {
        Random random = new Random(4);
        int n = 1000;
        for (double fraction : new double[] {0.01, 0.1, 0.5}) {
            long k = WireFormat.topK(fraction).chosen(n);
            try (LocalRanks ranks = new LocalRanks(2, DType.F32, Reduction.MEAN, 1)) {
                long[] buffers = {ranks.allocate(n), ranks.allocate(n)}, kept = {ranks.allocate(n), ranks.allocate(n)};
                double norm = 0, left = 0;
                for (int i = 0; i < n; i++) {
                    float x = i % 2 == 0 ? 1 : (float) random.nextGaussian();
                    Memory.putFloat(buffers[0] + 4L * i, x);
                    norm += (double) x * x;
                }
                ranks.run(r -> new TopKAllReduce(buffers[r], n, k, kept(n, kept[r])));
                for (int i = 0; i < n; i++) left += Math.pow(Memory.getFloat(kept[0] + 4L * i), 2);
                double bound = Math.sqrt(1 - fraction) * Math.sqrt(norm), actual = Math.sqrt(left);
                assertTrue(actual <= bound, () -> actual + " is above " + bound);
            }
        }
    }

    @Test
    void aNanIsSentAndNotKept() {
        try (LocalRanks ranks = new LocalRanks(2, DType.F32, Reduction.SUM, 1)) {
            long[] buffers = {ranks.allocate(8), ranks.allocate(8)}, kept = {ranks.allocate(8), ranks.allocate(8)};
            Memory.putFloat(buffers[1] + 4, Float.NaN);
            Memory.putFloat(buffers[1] + 8, Float.POSITIVE_INFINITY);
            Memory.putFloat(buffers[1] + 12, 5);
            ranks.run(r -> new TopKAllReduce(buffers[r], 8, 1, kept(8, kept[r])));
            assertTrue(Float.isNaN(Memory.getFloat(buffers[0] + 4)));
            assertEquals(0, Memory.getFloat(kept[1] + 4));
            assertEquals(0, Memory.getFloat(kept[1] + 8));
            assertEquals(5, Memory.getFloat(kept[1] + 12));
        }
    }

    @Test
    void residualsBelongToNamesAndAreGivenBack() {
        MemoryPool pool = new MemoryPool("test", 1 << 20);
        try (Residuals residuals = new Residuals(pool)) {
            long a = residuals.of("a", 100), b = residuals.of("b", 100);
            assertEquals(0, Memory.getFloat(a + 396));
            Memory.putFloat(a, 3);
            assertEquals(a, residuals.of("a", 100));
            assertTrue(a != b);
            var e = assertThrows(OxbowException.class, () -> residuals.of("a", 50));
            assertEquals("top-k: 'a' had 100 values before and has 50 now", e.getMessage());
        }
        assertEquals(0, pool.bytesInUse());
        var e = assertThrows(OxbowException.class, () -> new TopKAllReduce(0, 5, 6, List.of()));
        assertEquals("TopKAllReduce: needs 1 <= k <= count < 2^31, got k 6 and count 5", e.getMessage());
    }

    /** All of it, in place. */
    private static List<Kept> kept(long count, long address) {
        return List.of(new Kept(0, count, address, address));
    }
}
