package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.collective.algorithm.Algorithm;
import dev.oxbow.collective.algorithm.DirectAllReduce;
import dev.oxbow.collective.algorithm.DoublingAllReduce;
import dev.oxbow.collective.algorithm.FlatAllReduce;
import dev.oxbow.collective.algorithm.HalvingDoublingAllReduce;
import dev.oxbow.collective.algorithm.HierarchicalAllReduce;
import dev.oxbow.collective.algorithm.RingAllReduce;
import dev.oxbow.collective.algorithm.SharedAllReduce;
import dev.oxbow.collective.algorithm.StarAllReduce;
import dev.oxbow.collective.algorithm.TreeAllReduce;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every all-reduce against the serial result, on inputs whose results are exact in any order. */
final class AllReduceTest {

    /** An all-reduce and the name that reports give it. */
    record Maker(String name, Factory factory) {
        interface Factory {
            Algorithm make(int ranks, long address, long count);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Maker> makers() {
        List<Maker> all = new ArrayList<>();
        for (long chunk : new long[] {0, 300}) {
            all.add(new Maker("ring, chunk " + chunk, (p, a, n) -> new RingAllReduce(a, n, chunk)));
            all.add(new Maker("star, chunk " + chunk, (p, a, n) -> new StarAllReduce(a, n, chunk)));
            all.add(new Maker("tree, chunk " + chunk, (p, a, n) -> new TreeAllReduce(a, n, chunk)));
            all.add(new Maker("direct, chunk " + chunk, (p, a, n) -> new DirectAllReduce(a, n, chunk)));
            all.add(new Maker("shared, chunk " + chunk, (p, a, n) -> new SharedAllReduce(a, n, chunk)));
            all.add(new Maker("hosts of 2", (p, a, n) -> new HierarchicalAllReduce(a, n, hosts(p, 2), chunk)));
            all.add(new Maker("hosts of 4", (p, a, n) -> new HierarchicalAllReduce(a, n, hosts(p, 4), chunk)));
        }
        all.add(new Maker("flat", (p, a, n) -> new FlatAllReduce(a, n)));
        all.add(new Maker("doubling", (p, a, n) -> new DoublingAllReduce(a, n)));
        all.add(new Maker("halving and doubling", (p, a, n) -> new HalvingDoublingAllReduce(a, n)));
        all.add(new Maker("scattered hosts", (p, a, n) -> {
            int[] hostOf = new int[p];
            for (int r = 0; r < p; r++) hostOf[r] = r % 3;
            return new HierarchicalAllReduce(a, n, hostOf, 70);
        }));
        return all;
    }

    /** Hosts with {@code each} ranks but the last, which has what is left. */
    static int[] hosts(int ranks, int each) {
        int[] hostOf = new int[ranks];
        for (int r = 0; r < ranks; r++) hostOf[r] = 7 + r / each;
        return hostOf;
    }

    @ParameterizedTest
    @MethodSource("makers")
    void everyRankEndsWithTheSerialResult(Maker maker) {
        int seed = 0;
        for (int p = 1; p <= 9; p++) {
            for (long n : new long[] {0, 1, p - 1, p, 1000}) {
                for (DType dtype : Values.DTYPES) {
                    check(maker, p, n, dtype, reduction(dtype, seed), seed++);
                }
            }
            check(maker, p, 65539, Values.DTYPES.get(p - 1), reduction(Values.DTYPES.get(p - 1), seed), seed++);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("makers")
    void everyDtypeOfManyElements(Maker maker) {
        int seed = 0;
        for (int p = 1; p <= 9; p++) {
            for (DType dtype : Values.DTYPES) check(maker, p, 65539, dtype, reduction(dtype, seed), seed++);
        }
    }

    private static Reduction reduction(DType dtype, int seed) {
        List<Reduction> all = dtype.isFloating()
                ? List.of(Reduction.SUM, Reduction.MEAN, Reduction.MAX, Reduction.MIN, Reduction.PRODUCT)
                : dtype == DType.BOOL
                        ? List.of(Reduction.AND, Reduction.OR, Reduction.XOR, Reduction.MAX)
                        : List.of(Reduction.SUM, Reduction.MEAN, Reduction.XOR, Reduction.OR, Reduction.MIN);
        return all.get(seed % all.size());
    }

    @ParameterizedTest
    @MethodSource("makers")
    void manyOrdersOfDelivery(Maker maker) {
        for (int seed = 0; seed < 150; seed++) {
            check(maker, 2 + seed % 7, 1 + 37 * seed % 2000, DType.F32, Reduction.SUM, seed);
        }
    }

    @ParameterizedTest
    @MethodSource("makers")
    void manyRanks(Maker maker) {
        check(maker, 33, 1000, DType.I32, Reduction.SUM, 1);
        check(maker, 64, 100, DType.F32, Reduction.MAX, 2);
        check(maker, 100, 1003, DType.I64, Reduction.SUM, 3);
        check(maker, 256, 700, DType.F64, Reduction.SUM, 4);
    }

    private static void check(Maker maker, int p, long n, DType dtype, Reduction reduction, long seed) {
        try (LocalRanks ranks = new LocalRanks(p, dtype, reduction, seed)) {
            long[] buffers = new long[p];
            for (int r = 0; r < p; r++) {
                buffers[r] = ranks.allocate(n + 1);
                for (long i = 0; i < n; i++) Values.put(dtype, buffers[r], i, input(dtype, reduction, r, i));
                Values.put(dtype, buffers[r], n, 1);
            }
            ranks.run(r -> maker.factory.make(p, buffers[r], n));
            for (long i = 0; i < n; i++) {
                double expected = input(dtype, reduction, 0, i);
                for (int r = 1; r < p; r++) {
                    expected = Values.operator(reduction).applyAsDouble(expected, input(dtype, reduction, r, i));
                }
                if (reduction == Reduction.MEAN) {
                    Values.put(dtype, buffers[0], n, dtype == DType.F64 ? expected / p : (float) expected / p);
                    expected = Values.get(dtype, buffers[0], n);
                }
                for (int r = 0; r < p; r++) {
                    double actual = Values.get(dtype, buffers[r], i);
                    if (actual != expected) {
                        assertEquals(
                                expected,
                                actual,
                                maker + " p " + p + " n " + n + " " + dtype + " " + reduction + " rank " + r
                                        + " element " + i + " seed " + seed);
                    }
                }
            }
            for (int r = 1; r < p; r++) assertEquals(1, Values.get(dtype, buffers[r], n), "written past the end");
        }
    }

    private static double input(DType dtype, Reduction reduction, int rank, long i) {
        long mixed = (rank * 31L + i) * 0x9e3779b97f4a7c15L >>> 40;
        if (dtype == DType.BOOL) return mixed % 2;
        if (reduction == Reduction.PRODUCT) return 1 + (rank < 5 ? mixed % 2 : 0);
        return mixed % 5;
    }

    @Test
    void anUnchunkedRingSendsTwicePMinusOneMessagesAndItsShareOfValues() {
        for (int p = 2; p <= 9; p++) {
            long count = 840L * p;
            try (LocalRanks ranks = new LocalRanks(p, DType.F32, Reduction.SUM, p)) {
                ranks.run(r -> new RingAllReduce(ranks.allocate(count), count, 0));
                for (int r = 0; r < p; r++) {
                    assertEquals(2 * (p - 1), ranks.messages(r));
                    assertEquals(2 * (p - 1) * count / p, ranks.values(r));
                }
            }
        }
    }

    static List<Maker> inRankOrder() {
        return makers().stream()
                .filter(m -> List.of("star", "direct", "shared", "flat").contains(m.name.split(",")[0]))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("inRankOrder")
    void deterministicResultsAreTheSerialSumInRankOrderBitForBit(Maker maker) {
        for (int seed = 0; seed < 60; seed++) {
            int p = 1 + seed % 9;
            long n = 1 + 41L * seed % 1500;
            Random random = new Random(seed);
            try (LocalRanks ranks = new LocalRanks(p, DType.F32, Reduction.SUM, seed)) {
                long[] buffers = new long[p];
                float[] expected = new float[(int) n];
                for (int r = 0; r < p; r++) {
                    buffers[r] = ranks.allocate(n);
                    for (int i = 0; i < n; i++) {
                        float x = (float) (random.nextGaussian() * Math.exp(5 * random.nextGaussian()));
                        Memory.putFloat(buffers[r] + 4L * i, x);
                        expected[i] = r == 0 ? x : expected[i] + x;
                    }
                }
                ranks.run(r -> maker.factory.make(p, buffers[r], n));
                for (int r = 0; r < p; r++) {
                    for (int i = 0; i < n; i++) {
                        assertEquals(expected[i], Memory.getFloat(buffers[r] + 4L * i), maker + " seed " + seed);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("makers")
    void resultsDoNotDependOnTimingAndAreEqualOnAllRanks(Maker maker) {
        for (int p : new int[] {2, 3, 5, 8}) {
            float[] first = null;
            for (int seed = 0; seed < 8; seed++) {
                try (LocalRanks ranks = new LocalRanks(p, DType.F32, Reduction.SUM, seed)) {
                    Random random = new Random(p);
                    long[] buffers = new long[p];
                    for (int r = 0; r < p; r++) {
                        buffers[r] = ranks.allocate(777);
                        for (int i = 0; i < 777; i++) Memory.putFloat(buffers[r] + 4L * i, random.nextFloat());
                    }
                    ranks.run(r -> maker.factory.make(p, buffers[r], 777));
                    for (int r = 0; r < p; r++) {
                        float[] result = Memory.ALL.asSlice(buffers[r], 4 * 777).toArray(Memory.FLOAT);
                        if (first == null) first = result;
                        assertArrayEquals(first, result, maker + " p " + p + " seed " + seed);
                    }
                }
            }
        }
    }

    static List<Maker> ordered() {
        return makers().stream()
                .filter(m -> inRankOrder().stream().anyMatch(o -> o.name.equals(m.name)) || m.name.equals("doubling"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("ordered")
    void anOperatorThatDoesNotCommuteIsAppliedInRankOrder(Maker maker) {
        Reduction affine = Reduction.ordered("affine", CollectivesTest::compose);
        for (int p = 1; p <= 9; p++) {
            try (LocalRanks ranks = new LocalRanks(p, DType.I64, affine, p)) {
                long[] buffers = new long[p];
                long n = 600, expected = CollectivesTest.map(0);
                for (int r = 0; r < p; r++) {
                    buffers[r] = ranks.allocate(n);
                    for (int i = 0; i < n; i++) Memory.putLong(buffers[r] + 8L * i, CollectivesTest.map(r));
                    if (r > 0) expected = CollectivesTest.compose(expected, CollectivesTest.map(r));
                }
                ranks.run(r -> maker.factory.make(ranks.exchange(0).size(), buffers[r], n));
                for (int r = 0; r < p; r++) {
                    for (int i = 0; i < n; i++)
                        assertEquals(expected, Memory.getLong(buffers[r] + 8L * i), maker + " " + p);
                }
            }
        }
    }
}
