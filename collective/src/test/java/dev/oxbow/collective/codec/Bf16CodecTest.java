package dev.oxbow.collective.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class Bf16CodecTest {
    @Test
    void bf16VectorsGiveTheBitsOfTheirScalarTwins() {
        Random random = new Random(5);
        int n = Codec.BLOCK;
        try (Arena arena = Arena.ofConfined()) {
            long x = arena.allocate(4L * n).address(),
                    halves = arena.allocate(4L * n).address();
            for (int i = 0; i < n; i++) Memory.putInt(x + 4L * i, random.nextInt() | (i % 3 == 0 ? 0x7f800000 : 0));
            Bf16Codec.Vectors.encode(x, halves, n);
            Bf16Codec.encodeScalars(x, halves + 2L * n, n);
            assertEquals(-1, Memory.ALL.asSlice(halves, 2L * n).mismatch(Memory.ALL.asSlice(halves + 2L * n, 2L * n)));
            long back = arena.allocate(4L * n).address();
            Bf16Codec.Vectors.decode(halves, x, n);
            Bf16Codec.decodeScalars(halves, back, n);
            assertEquals(-1, Memory.ALL.asSlice(x, 4L * n).mismatch(Memory.ALL.asSlice(back, 4L * n)));
        }
    }
}
