package dev.oxbow.kernels.random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Threads;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * The literals were recorded from TensorFlow 2.21 on CPU: shape [5, 21] (or as said), three runs of one node in a
 * session.
 */
final class DistributionsTest {
    private interface Fill {
        void fill(Philox stream, Tensor y, Parallel parallel);
    }

    @Test
    void uniformContinuesTheStreamFromRunToRun() {
        PhiloxState state = PhiloxState.of(87654321, 42);
        float[][] expected = {
            {0.9522714614868164f, 0.6774077415466309f, 0.7953182458877563f, 0.7557817697525024f, 0.475955605506897f},
            {0.1533423662185669f, 0.512775182723999f, 0.6187921762466431f, 0.7685363292694092f, 0.21505141258239746f},
            {0.9964519739151001f, 0.4314538240432739f, 0.006467580795288086f, 0.6718368530273438f, 0.067771315574646f}
        };
        for (float[] e : expected) {
            Tensor y = draw(state.reserveOutputs(105), DType.F32, Distributions::uniform);
            assertArrayEquals(e, Arrays.copyOf(y.floats(), 5));
        }
    }

    @Test
    void halfPrecisionUniformsUseTheLowBits() {
        assertPrefix(
                DType.F16, Distributions::uniform, 0, 0.0078125, 0.32421875, 0.2470703125, 0.3642578125, 0.0283203125);
        assertPrefix(DType.BF16, Distributions::uniform, 0, 0.0625, 0.59375, 0.9765625, 0.9140625, 0.2265625);
    }

    @Test
    void normalsAreBoxMullerPairs() {
        assertPrefix(
                DType.F32,
                Distributions::normal,
                2e-7,
                -0.2807750701904297,
                -0.13775210082530975,
                -0.6763296127319336,
                0.024580413475632668,
                -0.8935845494270325);
        assertPrefix(
                DType.F64,
                Distributions::normal,
                1e-15,
                0.7456244549943906,
                -0.6371964266311646,
                0.04856931364585292,
                -0.6518469707884212,
                -0.861626965289776);
        assertPrefix(
                DType.F32,
                Distributions::truncatedNormal,
                2e-7,
                -0.2807750701904297,
                -0.13775210082530975,
                -0.6763296127319336,
                0.024580413475632668,
                -0.4684547185897827);
    }

    @Test
    void wholeNumbersAreRemainders() {
        Tensor a = Tensor.allocate(DType.I32, Shape.of(5, 21)), b = Tensor.allocate(DType.I64, Shape.of(5, 21));
        Distributions.uniformInt(Philox.ofSeeds(3, 9), -5, 1000, a, new Threads());
        Distributions.uniformInt(Philox.ofSeeds(3, 9), -5, 1000, b, Parallel.SERIAL);
        assertArrayEquals(new int[] {402, 251, 143, 537, 994}, Arrays.copyOf(a.ints(), 5));
        assertArrayEquals(new long[] {73, 475, 928, 417, 512}, Arrays.copyOf(b.longs(), 5));
        var e = assertThrows(
                OxbowException.class, () -> Distributions.uniformInt(Philox.ofSeeds(3, 9), 4, 4, a, Parallel.SERIAL));
        assertEquals("Need minval < maxval, got 4 >= 4", e.getMessage());
    }

    @Test
    void statelessSeedsAreScrambled() {
        Tensor y = draw(Philox.ofStateless(7, -3), DType.F32, Distributions::uniform);
        assertArrayEquals(
                new float[] {
                    0.4346421957015991f,
                    0.06527590751647949f,
                    0.7476129531860352f,
                    0.14876413345336914f,
                    0.5897864103317261f
                },
                Arrays.copyOf(y.floats(), 5));
    }

    @Test
    void shufflesLikeRandomShuffle() {
        PhiloxState state = PhiloxState.of(3, 9); // RandomShuffle of range(37)
        int[][] expected = {{35, 29, 25, 22, 7}, {35, 29, 5, 4, 36}, {25, 0, 8, 22, 7}};
        for (int[] e : expected) {
            assertArrayEquals(e, Arrays.copyOf(Shuffle.permutation(state.reserve(Shuffle.blocks(37)), 37), 5));
        }
        assertArrayEquals(new int[0], Shuffle.permutation(state.reserve(Shuffle.blocks(0)), 0));
    }

    @Test
    void drawsCategoriesGammasAndPoissons() {
        Tensor classes = Tensor.allocate(DType.I64, Shape.of(2, 11));
        Draws.categorical(Philox.ofSeeds(3, 9), Tensor.of(Shape.of(2, 4), 0f, 1, 2, -1, 3, 0, 0, 1), classes);
        assertArrayEquals(new long[] {2, 2, 2, 1, 3}, Arrays.copyOf(classes.longs(), 5));
        Tensor y = Tensor.allocate(DType.F32, Shape.of(20, 4));
        Draws.gamma(Philox.ofSeeds(3, 9), Tensor.of(Shape.of(4), 0.3f, 1, 2.5f, 50), y, new Threads());
        assertArrayEquals(
                new float[] {
                    0.01320863887667656f,
                    0.5745723843574524f,
                    3.3457322120666504f,
                    51.8340950012207f,
                    0.3399355411529541f
                },
                Arrays.copyOf(y.floats(), 5),
                1e-6f);
        Draws.poisson(Philox.ofSeeds(3, 9), Tensor.of(Shape.of(4), 0.3f, 5, 12.5f, 500), y, Parallel.SERIAL);
        assertArrayEquals(new float[] {0, 4, 8, 533, 0}, Arrays.copyOf(y.floats(), 5));
    }

    @Test
    void anyCutOfTheWorkGivesTheSameTensor() {
        for (DType t : new DType[] {DType.F32, DType.F64, DType.F16, DType.BF16}) {
            for (Fill f : new Fill[] {Distributions::uniform, Distributions::normal, Distributions::truncatedNormal}) {
                Tensor a = Tensor.allocate(t, Shape.of(40_003)), b = Tensor.allocate(t, Shape.of(40_003));
                f.fill(Philox.ofSeeds(5, 6), a, Parallel.SERIAL);
                f.fill(Philox.ofSeeds(5, 6), b, new Threads());
                assertArrayEquals(a.bytes(), b.bytes(), t.toString());
            }
        }
    }

    @Test
    void theCounterCarriesAndUnseededStatesDiffer() {
        Philox p = Philox.ofKey(1, -1L, 4);
        p.next(new int[4]);
        assertEquals(0, p.counterLow());
        assertEquals(5, p.counterHigh());
        Philox q = Philox.ofKey(1, -1L, 4);
        q.skip(1);
        assertEquals(5, q.counterHigh());
        assertNotEquals(
                PhiloxState.of(0, 0).snapshot().key(),
                PhiloxState.of(0, 0).snapshot().key());
    }

    private static void assertPrefix(DType t, Fill f, double tolerance, double... expected) {
        Tensor y = draw(Philox.ofSeeds(87654321, 42), t, f);
        for (int i = 0; i < expected.length; i++) assertEquals(expected[i], y.getDouble(i), tolerance, t + " " + i);
    }

    private static Tensor draw(Philox stream, DType t, Fill f) {
        Tensor y = Tensor.allocate(t, Shape.of(5, 21));
        f.fill(stream, y, Parallel.SERIAL);
        return y;
    }

    @Test
    void vectorsDrawTheNumbersOfTheStream() {
        Philox stream = Philox.ofSeeds(0x123456789abcdefL, -5).at(0xfffffff0L);
        Tensor y = Tensor.zeros(DType.I32, Shape.of(4 * 64)), z = Tensor.zeros(DType.I32, y.shape());
        int[] block = new int[4];
        Philox p = stream.copy();
        for (int i = 0; i < 64; i++) {
            p.next(block);
            for (int j = 0; j < 4; j++) y.setLong(4 * i + j, block[j]);
        }
        long key = stream.key();
        long done = PhiloxVectors.Vectors.blocks(
                (int) key, (int) (key >>> 32), stream.counterLow(), stream.counterHigh(), z.address(), 64);
        assertEquals(64, done);
        assertArrayEquals(y.ints(), z.ints());
        Tensor f = Tensor.zeros(DType.F32, y.shape());
        for (int i = 0; i < 256; i++) f.set(i, Samples.toFloat(y.ints()[i]));
        PhiloxVectors.Vectors.floats(z.address(), 256);
        assertArrayEquals(f.bytes(), z.bytes());
    }

    @Test
    void theFunctionsBehindNormalNumbersAreAccurate() {
        for (int i = 0; i < 1 << 23; i += 101) {
            double u = Math.max(Samples.toFloat(i), 1e-7f), v = (float) (2 * Math.PI * Samples.toFloat(i));
            assertEquals(Math.log(u), Angles.log(u), 1e-13 * Math.abs(Math.log(u)), "log " + u);
            assertEquals(Math.sin(v), Angles.sin(v), 1e-12 * Math.abs(Math.sin(v)), "sin " + v);
            assertEquals(Math.cos(v), Angles.cos(v), 1e-12 * Math.abs(Math.cos(v)), "cos " + v);
        }
    }
}
