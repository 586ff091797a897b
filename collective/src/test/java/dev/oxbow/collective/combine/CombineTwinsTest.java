package dev.oxbow.collective.combine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CombineTwinsTest {
    private final Random random = new Random(5);

    @Test
    void vectorsAndScalarsGiveTheSameBits() {
        try (Arena arena = Arena.ofConfined()) {
            long a = arena.allocate(1 << 13, 64).address(),
                    b = arena.allocate(1 << 13, 64).address();
            long c = arena.allocate(1 << 13, 64).address();
            for (int op = 0; op < 16; op++) {
                for (int i = 0; i < 1 << 13; i += 4) {
                    Memory.putInt(a + i, Float.floatToIntBits((float) random.nextGaussian()));
                    Memory.putInt(b + i, Float.floatToIntBits((float) random.nextGaussian()));
                }
                Memory.putFloat(a + 12, -0f);
                Memory.putFloat(b + 12, 0f);
                Memory.copy(a, c, 1 << 13);
                vectors(op, a, b);
                scalars(op, c, b);
                for (int i = 0; i < 1 << 13; i += 8)
                    assertEquals(Memory.getLong(c + i), Memory.getLong(a + i), "op " + op);
            }
        }
    }

    private static void vectors(int op, long a, long b) {
        switch (op) {
            case 0 -> CombineF32.Vectors.sum(a, b, 2048);
            case 1 -> CombineF32.Vectors.product(a, b, 2048);
            case 2 -> CombineF32.Vectors.min(a, b, 2048);
            case 3 -> CombineF32.Vectors.max(a, b, 2048);
            case 4 -> CombineF64.Vectors.sum(a, b, 1024);
            case 5 -> CombineF64.Vectors.product(a, b, 1024);
            case 6 -> CombineF64.Vectors.min(a, b, 1024);
            case 7 -> CombineF64.Vectors.max(a, b, 1024);
            case 8 -> CombineI32.Vectors.sum(a, b, 2048);
            case 9 -> CombineI32.Vectors.product(a, b, 2048);
            case 10 -> CombineI32.Vectors.min(a, b, 2048);
            case 11 -> CombineI32.Vectors.max(a, b, 2048);
            case 12 -> CombineI64.Vectors.sum(a, b, 1024);
            case 13 -> CombineI64.Vectors.product(a, b, 1024);
            case 14 -> CombineI64.Vectors.min(a, b, 1024);
            default -> CombineI64.Vectors.max(a, b, 1024);
        }
    }

    private static void scalars(int op, long a, long b) {
        switch (op) {
            case 0 -> CombineF32.sumScalars(a, b, 2048);
            case 1 -> CombineF32.productScalars(a, b, 2048);
            case 2 -> CombineF32.minScalars(a, b, 2048);
            case 3 -> CombineF32.maxScalars(a, b, 2048);
            case 4 -> CombineF64.sumScalars(a, b, 1024);
            case 5 -> CombineF64.productScalars(a, b, 1024);
            case 6 -> CombineF64.minScalars(a, b, 1024);
            case 7 -> CombineF64.maxScalars(a, b, 1024);
            case 8 -> CombineI32.sumScalars(a, b, 2048);
            case 9 -> CombineI32.productScalars(a, b, 2048);
            case 10 -> CombineI32.minScalars(a, b, 2048);
            case 11 -> CombineI32.maxScalars(a, b, 2048);
            case 12 -> CombineI64.sumScalars(a, b, 1024);
            case 13 -> CombineI64.productScalars(a, b, 1024);
            case 14 -> CombineI64.minScalars(a, b, 1024);
            default -> CombineI64.maxScalars(a, b, 1024);
        }
    }
}
