package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CombineTest {
    private static final List<Reduction> ALL = List.of(
            Reduction.SUM,
            Reduction.MEAN,
            Reduction.MIN,
            Reduction.MAX,
            Reduction.PRODUCT,
            Reduction.AND,
            Reduction.OR,
            Reduction.XOR);

    private final Random random = new Random(5);

    @Test
    void everyReductionOfEveryDtypeAtAnyAlignment() {
        try (Arena arena = Arena.ofConfined()) {
            long memory = arena.allocate(1 << 18, 64).address();
            for (Reduction reduction : ALL) {
                for (DType dtype : Values.DTYPES) {
                    if (!reduction.supports(dtype)) continue;
                    for (int n : new int[] {0, 1, 7, 16, 33, 1000, 4096, 9001}) {
                        long a = memory + dtype.size() * random.nextInt(20);
                        long b = memory + (1 << 17) + dtype.size() * random.nextInt(20);
                        check(reduction, dtype, a, b, n);
                    }
                }
            }
        }
    }

    private void check(Reduction reduction, DType dtype, long a, long b, int n) {
        double[] expected = new double[n];
        int low = dtype.isUnsigned() || dtype == DType.BOOL ? 0 : -8, high = dtype == DType.BOOL ? 2 : 9;
        Values.put(dtype, a, n, 1);
        for (int i = 0; i < n; i++) {
            double x = random.nextInt(low, high), y = random.nextInt(low, high);
            Values.put(dtype, a, i, x);
            Values.put(dtype, b, i, y);
            double e = Values.operator(reduction).applyAsDouble(x, y);
            expected[i] = dtype.isFloating() ? e : (long) e; // there is no -0 among integers
        }
        reduction.combine(dtype).combine(a, b, n);
        String what = reduction + " " + dtype + " " + n;
        for (int i = 0; i < n; i++) assertEquals(expected[i], Values.get(dtype, a, i), what);
        reduction.complete(dtype, a, n, 2);
        for (int i = 0; i < n; i++) {
            double e = reduction == Reduction.MEAN ? expected[i] / 2 : expected[i];
            assertEquals(dtype.isFloating() ? e : (double) (long) e, Values.get(dtype, a, i), what);
        }
        assertEquals(1, Values.get(dtype, a, n), what);
    }

    @Test
    void nanWinsInMinimumAndMaximumAndHalvesRoundToEven() {
        try (Arena arena = Arena.ofConfined()) {
            long a = arena.allocate(64, 64).address(), b = a + 32;
            for (DType dtype : List.of(DType.F16, DType.BF16, DType.F32, DType.F64)) {
                for (Reduction reduction : List.of(Reduction.MIN, Reduction.MAX)) {
                    Values.put(dtype, a, 0, Double.NaN);
                    Values.put(dtype, b, 0, 1);
                    Values.put(dtype, a, 1, 1);
                    Values.put(dtype, b, 1, Double.NaN);
                    reduction.combine(dtype).combine(a, b, 2);
                    assertTrue(Double.isNaN(Values.get(dtype, a, 0)) && Double.isNaN(Values.get(dtype, a, 1)));
                }
            }
            Memory.putShort(a, Half.toBf16(256));
            Memory.putShort(b, Half.toBf16(1));
            Reduction.SUM.combine(DType.BF16).combine(a, b, 1);
            assertEquals(256, Half.fromBf16(Memory.getShort(a))); // 257 lies between 256 and 258: to even
            Memory.putShort(a, Half.toF16(2049));
            Memory.putShort(b, Half.toF16(3));
            Reduction.SUM.combine(DType.F16).combine(a, b, 1);
            assertEquals(
                    2052, Half.fromF16(Memory.getShort(a))); // 2049 is 2048 in f16; 2051 lies between 2050 and 2052
        }
    }

    @Test
    void integerMeansAreDividedTowardsZero() {
        try (Arena arena = Arena.ofConfined()) {
            long a = arena.allocate(64, 64).address();
            for (DType dtype : List.of(DType.I8, DType.I32, DType.I64)) {
                Values.put(dtype, a, 0, -7);
                Reduction.MEAN.complete(dtype, a, 1, 4);
                assertEquals(-1, Values.get(dtype, a, 0));
            }
            Values.put(DType.U8, a, 0, 250);
            Reduction.MEAN.complete(DType.U8, a, 1, 4);
            assertEquals(62, Values.get(DType.U8, a, 0));
        }
    }

    @Test
    void reductionsNameWhatTheyDoNotSupport() {
        assertFalse(Reduction.SUM.supports(DType.BOOL));
        var e = assertThrows(OxbowException.class, () -> Reduction.XOR.combine(DType.F32));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertEquals("Reduction: xor is not defined for f32", e.getMessage());
        var f = assertThrows(OxbowException.class, () -> Reduction.named("median"));
        assertEquals("Reduction: must be sum, mean, min, max, product, and, or or xor, got 'median'", f.getMessage());
        for (Reduction r : ALL) assertEquals(r, Reduction.named(r.name()));
    }
}
