package dev.oxbow.kernels.move;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class UpperHalvesTest {
    @Test
    void vectorsGiveTheBitsOfTheirScalarTwins() {
        Random random = new Random(5);
        int n = 1024;
        try (Arena arena = Arena.ofConfined()) {
            long x = arena.allocate(4L * n).address(),
                    halves = arena.allocate(4L * n).address();
            for (int i = 0; i < n; i++) Memory.putInt(x + 4L * i, random.nextInt() | (i % 3 == 0 ? 0x7f800000 : 0));
            UpperHalves.Vectors.take(x, halves, n);
            UpperHalves.takeScalars(x, halves + 2L * n, n);
            assertEquals(-1, Memory.ALL.asSlice(halves, 2L * n).mismatch(Memory.ALL.asSlice(halves + 2L * n, 2L * n)));
            long back = arena.allocate(4L * n).address();
            UpperHalves.Vectors.fill(halves, x, n);
            UpperHalves.fillScalars(halves, back, n);
            assertEquals(-1, Memory.ALL.asSlice(x, 4L * n).mismatch(Memory.ALL.asSlice(back, 4L * n)));
        }
    }
}
