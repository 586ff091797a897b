package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.collective.algorithm.DirectReduce;
import dev.oxbow.collective.algorithm.DirectReduceScatter;
import dev.oxbow.collective.algorithm.DisseminationBarrier;
import dev.oxbow.collective.algorithm.FlatGather;
import dev.oxbow.collective.algorithm.FlatScatter;
import dev.oxbow.collective.algorithm.HierarchicalAllReduce;
import dev.oxbow.collective.algorithm.PairwiseAllToAll;
import dev.oxbow.collective.algorithm.Part;
import dev.oxbow.collective.algorithm.PointToPoint;
import dev.oxbow.collective.algorithm.RingAllGather;
import dev.oxbow.collective.algorithm.RingReduceScatter;
import dev.oxbow.collective.algorithm.TreeBroadcast;
import dev.oxbow.collective.algorithm.TreeReduce;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The collectives that are no all-reduce, over awkward sizes and orders of delivery. */
final class CollectivesTest {

    /** The map {@code x -> a x + b} as one value: a in the upper half, b in the lower. */
    static long map(int rank) {
        return (rank + 3L) << 32 | rank + 5L;
    }

    /** First x, then y; it is associative but does not commute. */
    static long compose(long x, long y) {
        int a = (int) (x >> 32) * (int) (y >> 32), b = (int) (y >> 32) * (int) x + (int) y;
        return (long) a << 32 | b & 0xffffffffL;
    }

    static void compose(DType dtype, long to, long from, long count) {
        for (long i = 0; i < 8 * count; i += 8) {
            Memory.putLong(to + i, compose(Memory.getLong(to + i), Memory.getLong(from + i)));
        }
    }

    private interface Body {
        void run(LocalRanks ranks, int p, DType dtype, long n, int seed);
    }

    private static void grid(Body body) {
        int seed = 0;
        for (int p = 1; p <= 9; p++) {
            for (long n : new long[] {0, 1, p - 1, p, 1000}) {
                for (DType dtype : new DType[] {DType.F32, DType.I8, DType.I64}) {
                    try (LocalRanks ranks = new LocalRanks(p, dtype, Reduction.SUM, seed)) {
                        body.run(ranks, p, dtype, n, seed++);
                    }
                }
            }
        }
        try (LocalRanks ranks = new LocalRanks(100, DType.I32, Reduction.SUM, 9)) {
            body.run(ranks, 100, DType.I32, 333, 9);
        }
    }

    private static double value(int rank, long i) {
        return (rank * 7 + i * 3) % 11;
    }

    private static long filled(LocalRanks ranks, DType dtype, int rank, long n) {
        long buffer = ranks.allocate(n);
        for (long i = 0; i < n; i++) Values.put(dtype, buffer, i, value(rank, i));
        return buffer;
    }

    private static long[] counts(int p, long n, int seed) {
        Random random = new Random(seed);
        long[] counts = new long[p];
        for (int i = 0; i < n; i++) counts[random.nextInt(1 + random.nextInt(p))]++;
        return counts;
    }

    private static long sum(long[] counts, int before) {
        return Arrays.stream(counts, 0, before).sum();
    }

    @Test
    void reduceBringsTheSumToAnyRoot() {
        grid((ranks, p, dtype, n, seed) -> {
            long[] buffers = new long[p];
            for (int r = 0; r < p; r++) buffers[r] = filled(ranks, dtype, r, n);
            int root = seed % p;
            ranks.run(r -> new TreeReduce(buffers[r], n, root, seed % 2 * 90));
            for (long i = 0; i < n; i++) {
                double expected = 0;
                for (int r = 0; r < p; r++) expected += value(r, i);
                assertEquals(expected, Values.get(dtype, buffers[root], i));
            }
        });
    }

    @Test
    void aDirectReduceIsTheSerialOneAndLeavesOtherBuffersAlone() {
        for (int p = 1; p <= 9; p++) {
            for (int root = 0; root < p; root++) {
                Reduction affine = Reduction.ordered("affine", CollectivesTest::compose);
                try (LocalRanks ranks = new LocalRanks(p, DType.I64, affine, p)) {
                    long[] buffers = new long[p];
                    long expected = map(0);
                    for (int r = 0; r < p; r++) {
                        buffers[r] = ranks.allocate(100);
                        for (int i = 0; i < 100; i++) Memory.putLong(buffers[r] + 8L * i, map(r));
                        if (r > 0) expected = compose(expected, map(r));
                    }
                    int to = root;
                    ranks.run(r -> new DirectReduce(buffers[r], 100, to, 7));
                    for (int r = 0; r < p; r++) {
                        for (int i = 0; i < 100; i++) {
                            assertEquals(r == root ? expected : map(r), Memory.getLong(buffers[r] + 8L * i));
                        }
                    }
                }
            }
        }
    }

    @Test
    void broadcastBringsTheRootsValuesToAll() {
        grid((ranks, p, dtype, n, seed) -> {
            long[] buffers = new long[p];
            for (int r = 0; r < p; r++) buffers[r] = filled(ranks, dtype, r, n);
            int root = seed % p;
            ranks.run(r -> new TreeBroadcast(buffers[r], n, root, seed % 2 * 90));
            for (int r = 0; r < p; r++) {
                for (long i = 0; i < n; i++) assertEquals(value(root, i), Values.get(dtype, buffers[r], i));
            }
        });
    }

    @Test
    void reduceScatterLeavesEachRankItsSegment() {
        for (boolean ring : new boolean[] {true, false}) {
            grid((ranks, p, dtype, n, seed) -> {
                long[] buffers = new long[p], counts = counts(p, n, seed);
                for (int r = 0; r < p; r++) buffers[r] = filled(ranks, dtype, r, n);
                long chunk = seed % 2 * 90;
                ranks.run(r -> ring
                        ? new RingReduceScatter(buffers[r], counts, chunk)
                        : new DirectReduceScatter(buffers[r], counts, chunk));
                for (int r = 0; r < p; r++) {
                    for (long i = sum(counts, r); i < sum(counts, r + 1); i++) {
                        double expected = 0;
                        for (int q = 0; q < p; q++) expected += value(q, i);
                        assertEquals(expected, Values.get(dtype, buffers[r], i));
                    }
                }
            });
        }
    }

    @Test
    void allGatherBringsRaggedSegmentsToAll() {
        grid((ranks, p, dtype, n, seed) -> {
            long[] buffers = new long[p], counts = counts(p, n, seed);
            for (int r = 0; r < p; r++) {
                buffers[r] = ranks.allocate(n);
                for (long i = sum(counts, r); i < sum(counts, r + 1); i++)
                    Values.put(dtype, buffers[r], i, value(r, i));
            }
            ranks.run(r -> new RingAllGather(buffers[r], counts, seed % 2 * 90));
            for (int r = 0; r < p; r++) {
                for (int q = 0; q < p; q++) {
                    for (long i = sum(counts, q); i < sum(counts, q + 1); i++) {
                        assertEquals(value(q, i), Values.get(dtype, buffers[r], i));
                    }
                }
            }
        });
    }

    @Test
    void scatterAndGatherAreOpposites() {
        grid((ranks, p, dtype, n, seed) -> {
            long[] parts = new long[p], counts = counts(p, n, seed);
            int root = seed % p;
            long whole = filled(ranks, dtype, 0, n), own = whole + sum(counts, root) * dtype.size();
            for (int r = 0; r < p; r++) parts[r] = r == root ? own : ranks.allocate(counts[r]);
            ranks.run(r -> new FlatScatter(r == root ? whole : parts[r], counts, root));
            for (int r = 0; r < p; r++) {
                for (long i = 0; i < counts[r]; i++) {
                    assertEquals(value(0, sum(counts, r) + i), Values.get(dtype, parts[r], i));
                    if (r != root) Values.put(dtype, parts[r], i, r);
                }
            }
            ranks.run(r -> new FlatGather(r == root ? whole : parts[r], counts, root));
            for (int r = 0; r < p; r++) {
                for (long i = sum(counts, r); i < sum(counts, r + 1); i++) {
                    assertEquals(r == root ? value(0, i) : r, Values.get(dtype, whole, i));
                }
            }
        });
    }

    @Test
    void allToAllTransposesSegmentsAlsoInPlace() {
        for (boolean inPlace : new boolean[] {false, true}) {
            grid((ranks, p, dtype, n, seed) -> {
                long[][] sends = new long[p][], receives = new long[p][p];
                for (int r = 0; r < p; r++) {
                    sends[r] = counts(p, n / (1 + r % 3), seed + r);
                    for (int q = 0; q < p; q++) receives[q][r] = sends[r][q];
                }
                long[] inputs = new long[p], outputs = new long[p];
                for (int r = 0; r < p; r++) {
                    long in = sum(sends[r], p), out = sum(receives[r], p);
                    inputs[r] = ranks.allocate(Math.max(in, out));
                    for (long i = 0; i < in; i++) Values.put(dtype, inputs[r], i, value(r, i));
                    outputs[r] = inPlace ? inputs[r] : ranks.allocate(out);
                }
                ranks.run(r -> new PairwiseAllToAll(inputs[r], sends[r], outputs[r], receives[r]));
                for (int r = 0; r < p; r++) {
                    for (int q = 0; q < p; q++) {
                        for (long i = 0; i < receives[r][q]; i++) {
                            double actual = Values.get(dtype, outputs[r], sum(receives[r], q) + i);
                            assertEquals(value(q, sum(sends[q], r) + i), actual);
                        }
                    }
                }
            });
        }
    }

    @Test
    void nobodyLeavesABarrierBeforeEveryoneHasCome() {
        for (int seed = 0; seed < 200; seed++) {
            int p = 1 + seed % 17;
            int[] came = {0};
            try (LocalRanks ranks = new LocalRanks(p, DType.U8, Reduction.SUM, seed)) {
                int[] all = new int[p];
                Arrays.setAll(all, r -> r);
                ranks.run(r -> new DisseminationBarrier(), r -> {
                    came[0]++;
                    return new Part(ranks.exchange(r), all, 0, true, () -> {
                        assertEquals(p, came[0]);
                        ranks.exchange(r).finish();
                    });
                });
                assertEquals(32 - Integer.numberOfLeadingZeros(p - 1), ranks.messages(0));
            }
        }
    }

    @Test
    void pointToPointMovesAlsoNothing() {
        for (long n : new long[] {0, 1, 5000}) {
            try (LocalRanks ranks = new LocalRanks(2, DType.F64, Reduction.SUM, n)) {
                long from = filled(ranks, DType.F64, 3, n), to = ranks.allocate(n);
                ranks.run(r -> r == 0 ? new PointToPoint.Send(1, from, n) : new PointToPoint.Receive(0, to, n));
                for (long i = 0; i < n; i++) assertEquals(value(3, i), Values.get(DType.F64, to, i));
                assertEquals(1, ranks.messages(0));
            }
        }
    }

    @Test
    void rootsAndHostsAreChecked() {
        try (LocalRanks ranks = new LocalRanks(3, DType.F32, Reduction.SUM, 1)) {
            var f = assertThrows(
                    OxbowException.class,
                    () -> new HierarchicalAllReduce(0, 0, new int[2], 0).start(ranks.exchange(0)));
            assertEquals("HierarchicalAllReduce: needs the host of each of 3 ranks, got 2", f.getMessage());
            var g = assertThrows(OxbowException.class, () -> new DirectReduce(0, 0, 3, 0).start(ranks.exchange(0)));
            assertEquals("DirectReduce: root must be one of 3 ranks, got 3", g.getMessage());
        }
    }
}
