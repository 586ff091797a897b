package dev.oxbow.kernels.image;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RowMixTest {

    @Test
    void vectorsAndTheScalarLoopGiveTheSameBits() {
        Random r = new Random(3);
        byte[] s = new byte[4000];
        r.nextBytes(s);
        try (Arena arena = Memory.arena()) {
            long at = Memory.address(arena.allocate(s.length));
            Memory.put(at, s);
            for (int round = 0; round < 3000; round++) { // the vectors are ready some time in between
                int n = r.nextInt(700), a = r.nextInt(3000), b = r.nextInt(3000);
                float v = r.nextFloat(), w = r.nextFloat();
                float[] out = new float[n];
                RowMix.mix(at + a, v, at + b, w, out, n);
                for (int i = 0; i < n; i++) assertEquals(v * (s[a + i] & 255) + w * (s[b + i] & 255), out[i]);
            }
        }
    }
}
