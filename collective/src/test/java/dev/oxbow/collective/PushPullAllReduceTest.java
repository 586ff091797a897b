package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.collective.algorithm.PushPullAllReduce;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import org.junit.jupiter.api.Test;

/** Workers end with the sum of the workers' values, in the order of the ranks, whoever else helps. */
final class PushPullAllReduceTest {

    @Test
    void helpersAddNothingAndWorkersEndWithTheSerialSum() {
        int seed = 0;
        for (int n = 1; n <= 5; n++)
            for (int k = 0; k <= 3; k++)
                for (int count : new int[] {0, 1, 7, 1000})
                    for (int chunk : new int[] {0, 16}) {
                        try (LocalRanks ranks = new LocalRanks(n + k, DType.F32, Reduction.SUM, seed++)) {
                            long[] buffers = new long[n + k];
                            float[] wanted = new float[count];
                            for (int r = 0; r < n + k; r++) {
                                buffers[r] = ranks.allocate(count);
                                for (int i = 0; i < count; i++) {
                                    float x = r < n ? 1f / (r + 3 * i + 1) : Float.NaN;
                                    Memory.putFloat(buffers[r] + 4L * i, x);
                                    if (r < n) wanted[i] = r == 0 ? x : wanted[i] + x;
                                }
                            }
                            int helpers = k;
                            ranks.run(r -> new PushPullAllReduce(buffers[r], count, helpers, chunk));
                            for (int r = 0; r < n; r++)
                                for (int i = 0; i < count; i++)
                                    assertEquals(
                                            wanted[i],
                                            Memory.getFloat(buffers[r] + 4L * i),
                                            n + " workers, " + k + " helpers, rank " + r + ", element " + i);
                        }
                    }
    }
}
