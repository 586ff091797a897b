package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.codec.Codec;
import dev.oxbow.collective.codec.CodedExchange;
import dev.oxbow.collective.cost.Method;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class WireFormatTest {
    private static final float[] AWKWARD = {
        0f,
        -0f,
        1f,
        -1f,
        Float.MIN_VALUE,
        -Float.MIN_VALUE,
        0x1p-133f,
        0x1.fffffep-127f,
        Float.MIN_NORMAL,
        0x1p-14f,
        0x1.ffcp-15f,
        0x1p-24f,
        0x1p-25f,
        0x1.8p-25f,
        65504f,
        65519.9f,
        65520f,
        -70000f,
        1e30f,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
        0x1.fffffep0f,
        0x1.ffp0f,
        0x1.002p0f,
        0x1.006p0f,
        1 / 3f
    };

    static List<WireFormat> coded() {
        return List.of(WireFormat.BF16, WireFormat.F16, WireFormat.INT8);
    }

    /** Any bits that are a finite number, of any exponent. */
    private static float anyFinite(Random random) {
        while (true) {
            float x = Float.intBitsToFloat(random.nextInt());
            if (Float.isFinite(x)) return x;
        }
    }

    private static float[] values(int n, Random random, int kind) {
        float[] x = new float[n];
        for (int i = 0; i < n; i++) {
            x[i] = switch (kind) {
                case 0 -> (float) random.nextGaussian();
                case 1 -> anyFinite(random);
                case 2 -> AWKWARD[random.nextInt(AWKWARD.length)];
                case 3 -> Float.intBitsToFloat(random.nextInt() & 0x807fffff); // denormal
                default -> (float) (random.nextGaussian() * 0x1p-120);
            };
        }
        return x;
    }

    private static float[] there(Codec codec, float[] x) {
        try (Arena arena = Arena.ofConfined()) {
            long from = arena.allocate(4L * x.length + 64, 4).address(), to = from;
            for (int i = 0; i < x.length; i++) Memory.putFloat(from + 4L * i, x[i]);
            long bytes = codec.bytes(x.length),
                    coded = arena.allocate(bytes + 8, 4).address();
            assertEquals(0, bytes % 4);
            Memory.putLong(coded + bytes, 0x0123456789abcdefL);
            codec.encodeAll(from, coded, x.length);
            assertEquals(0x0123456789abcdefL, Memory.getLong(coded + bytes), "written past the end");
            codec.decodeAll(coded, to, x.length);
            float[] y = Memory.ALL.asSlice(to, 4L * x.length).toArray(Memory.FLOAT);
            long tile = arena.allocate(4 * Codec.BLOCK + 64, 4).address();
            codec.round(to, x.length, tile);
            for (int i = 0; i < x.length; i++) {
                assertEquals(y[i], Memory.getFloat(to + 4L * i), "a decoded value changed when it was encoded again");
            }
            return y;
        }
    }

    private interface Bound {
        void check(float[] x, float[] y, int i);
    }

    private static void everywhere(Codec codec, Bound bound) {
        Random random = new Random(3);
        for (int kind = 0; kind < 5; kind++) {
            for (int n : new int[] {1, 2, 3, 5, 1023, 1024, 1025, 5000}) {
                float[] x = values(n, random, kind), y = there(codec, x);
                for (int i = 0; i < n; i++) bound.check(x, y, i);
            }
        }
    }

    private static void assertWithin(double bound, double x, double y) {
        assertTrue(Math.abs(x - y) <= bound, () -> x + " became " + y + ", bound " + bound);
    }

    @Test
    void bf16TruncatesWithinItsBound() {
        everywhere(WireFormat.BF16.codec(), (x, y, i) -> {
            assertEquals(Float.floatToRawIntBits(x[i]) & 0xffff0000, Float.floatToRawIntBits(y[i]));
            assertWithin(Math.max(Math.abs((double) x[i]) * 0x1p-7, 0x1p-133), x[i], y[i]);
        });
    }

    @Test
    void f16RoundsWithinItsBound() {
        everywhere(WireFormat.F16.codec(), (x, y, i) -> {
            double m = Math.abs((double) x[i]);
            if (m >= 65520) assertEquals(Math.copySign(Double.POSITIVE_INFINITY, x[i]), y[i]);
            else assertWithin(m < 0x1p-14 ? 0x1p-25 : m * 0x1p-11, x[i], y[i]);
        });
    }

    @Test
    void int8StaysWithinItsBound() {
        everywhere(WireFormat.INT8.codec(), (x, y, i) -> {
            double m = 0;
            int block = i / 1024 * 1024;
            for (int j = block; j < Math.min(x.length, block + 1024); j++) m = Math.max(m, Math.abs((double) x[j]));
            assertWithin(m / 253 + 0x1p-119, x[i], y[i]);
        });
    }

    @Test
    void infinitiesAndNansArriveAsSuch() {
        float quietOnlyBelow = Float.intBitsToFloat(0x7f800001);
        float[] x = {Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN, quietOnlyBelow, -quietOnlyBelow, 3};
        for (Codec codec : new Codec[] {WireFormat.BF16.codec(), WireFormat.F16.codec()}) {
            float[] y = there(codec, x);
            assertEquals(Float.POSITIVE_INFINITY, y[0]);
            assertEquals(Float.NEGATIVE_INFINITY, y[1]);
            for (int i = 2; i < 5; i++) assertTrue(Float.isNaN(y[i]));
            assertEquals(3, y[5]);
        }
        float[] long1 = new float[2000];
        long1[5] = Float.NEGATIVE_INFINITY;
        long1[1500] = 7;
        float[] y = there(WireFormat.INT8.codec(), long1);
        for (int i = 0; i < 1024; i++) assertTrue(Float.isNaN(y[i]));
        assertEquals(7, y[1500], 7 / 253.0);
    }

    @ParameterizedTest
    @MethodSource("coded")
    void ranksEndWithTheSameBitsCloseToTheSum(WireFormat format) {
        int seed = 0;
        for (Method method : Method.values()) {
            if (!method.isCoded()) continue;
            for (int p = 1; p <= 9; p++) {
                for (int n : new int[] {0, 1, p, 1000, 9003}) {
                    for (long chunk : new long[] {0, 1500}) check(format, method, p, n, chunk, seed++);
                }
            }
        }
    }

    private static void check(WireFormat format, Method method, int p, int n, long chunk, int seed) {
        Random random = new Random(seed);
        try (LocalRanks ranks = new LocalRanks(p, DType.F32, Reduction.MEAN, seed)) {
            long[] buffers = new long[p];
            double[] mean = new double[n];
            for (int r = 0; r < p; r++) {
                buffers[r] = ranks.allocate(n);
                for (int i = 0; i < n; i++) {
                    float x = 1 + random.nextFloat();
                    Memory.putFloat(buffers[r] + 4L * i, x);
                    mean[i] += x / (double) p;
                }
            }
            ranks.run(
                    r -> method.allReduce(buffers[r], n, chunk, AllReduceTest.hosts(p, 2)),
                    r -> new CodedExchange(ranks.exchange(r), format.codec()));
            for (int i = 0; i < n; i++) {
                // Each of at most p + 1 roundings is off by 2^-7 of at most 2p at most, and the mean divides that by p.
                if (p > 1) assertWithin((p + 1) * 2 * 0x1p-7, mean[i], Memory.getFloat(buffers[0] + 4L * i));
                for (int r = 1; r < p; r++) {
                    assertEquals(
                            Memory.getInt(buffers[0] + 4L * i),
                            Memory.getInt(buffers[r] + 4L * i),
                            format + " " + method + " p " + p + " n " + n + " chunk " + chunk + " seed " + seed);
                }
            }
            if (p > 1 && n > 2000 && method == Method.RING) {
                assertTrue(ranks.values(0) < 2.0 * n * (p - 1) / p * format.ratio() * 1.02 + 1100, "bytes saved");
            }
        }
    }

    @Test
    void formatsAreNamed() {
        for (String name : new String[] {"none", "bf16", "f16", "int8", "top-k:0.01"}) {
            assertEquals(name, WireFormat.named(name).toString());
        }
        assertEquals(WireFormat.topK(0.5), WireFormat.named("top-k:0.5"));
        assertNotEquals(WireFormat.topK(0.5), WireFormat.topK(0.25));
        assertEquals(0.5, WireFormat.BF16.ratio());
        assertEquals(0.251, WireFormat.INT8.ratio(), 1e-3);
        var e = assertThrows(OxbowException.class, () -> WireFormat.named("fp4"));
        assertEquals("WireFormat: must be none, bf16, f16, int8 or top-k:FRACTION, got 'fp4'", e.getMessage());
        assertThrows(OxbowException.class, () -> WireFormat.named("top-k:x"));
        var f = assertThrows(OxbowException.class, () -> WireFormat.topK(0));
        assertEquals("WireFormat: the fraction of top-k must be above 0 and at most 1, got 0.0", f.getMessage());
    }
}
