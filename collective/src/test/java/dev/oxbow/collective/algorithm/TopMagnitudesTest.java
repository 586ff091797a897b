package dev.oxbow.collective.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TopMagnitudesTest {
    @Test
    void theLargestMagnitudesAreChosenTheFirstOfEqualOnes() {
        Random random = new Random(8);
        for (int round = 0; round < 300; round++) {
            int n = 1 + random.nextInt(400), k = 1 + random.nextInt(n), kind = round % 3;
            float[] x = new float[n];
            for (int i = 0; i < n; i++) {
                x[i] = kind == 0
                        ? random.nextInt(-3, 4)
                        : kind == 1 ? (float) random.nextGaussian() : Float.intBitsToFloat(random.nextInt());
            }
            List<Integer> expected = IntStream.range(0, n)
                    .boxed()
                    .sorted(Comparator.comparingInt(i -> -(Float.floatToRawIntBits(x[i]) & 0x7fffffff)))
                    .limit(k)
                    .sorted()
                    .toList();
            try (Arena arena = Arena.ofConfined()) {
                long values = arena.allocate(4L * n, 4).address(),
                        pairs = arena.allocate(8L * k, 4).address();
                for (int i = 0; i < n; i++) Memory.putFloat(values + 4L * i, x[i]);
                TopMagnitudes top = new TopMagnitudes();
                top.count(values, n);
                top.choose(values, n, k, pairs);
                for (int i = 0; i < k; i++) {
                    assertEquals(expected.get(i), Memory.getInt(pairs + 4L * i), "round " + round);
                    assertEquals(x[expected.get(i)], Memory.getFloat(pairs + 4L * (k + i)));
                }
            }
        }
    }
}
