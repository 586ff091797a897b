package dev.oxbow.collective.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.OxbowException;
import org.junit.jupiter.api.Test;

final class CostModelTest {
    private static final CostModel GIGABIT = CostModel.measured(1e-6, 5e9, 50e-6, 125e6, 8e9);

    @Test
    void smallBuffersTakeFewStepsAndLargeOnesMoveFewBytes() {
        CostModel model = CostModel.DEFAULT;
        Hosts pairs = Hosts.of(new int[] {0, 0, 1, 1}), alone = Hosts.of(new int[] {0, 1, 2, 3});
        assertEquals(Method.FLAT, model.allReduce(Hosts.one(2), 1024, false, false, false));
        assertEquals(Method.FLAT, model.allReduce(Hosts.one(4), 1024, false, false, false));
        assertEquals(Method.DOUBLING, model.allReduce(Hosts.one(256), 1024, false, false, false));
        assertEquals(Method.RING, model.allReduce(Hosts.one(4), 64 << 20, false, false, false));
        Hosts sharing = Hosts.one(4).withShared(true);
        assertEquals(Method.SHARED, model.allReduce(sharing, 1 << 20, false, true, false));
        assertEquals(Method.SHARED, model.allReduce(sharing, 1 << 20, true, false, false));
        assertEquals(Method.FLAT, model.allReduce(sharing, 1024, false, false, false));
        assertNotEquals(Method.SHARED, model.allReduce(sharing, 1 << 20, false, false, true));
        assertNotEquals(Method.SHARED, model.allReduce(pairs.withShared(true), 1 << 20, false, false, false));
        assertEquals(Method.HIERARCHICAL, GIGABIT.allReduce(pairs, 64 << 20, false, false, false));
        assertEquals(Method.RING, GIGABIT.allReduce(alone, 64 << 20, false, false, false));
    }

    /** As measured over loopback: the steps of a ring would each wait for a core. */
    @Test
    void ranksOfAHostThatShareNoMemoryExchangeLargeBuffersDirectly() {
        CostModel loopback = CostModel.measured(20e-6, 2e9, 20e-6, 2e9, 8e9);
        for (long bytes = 4 << 20; bytes <= 256 << 20; bytes *= 2)
            for (int p = 3; p <= 8; p++)
                assertEquals(Method.DIRECT, loopback.allReduce(Hosts.one(p), bytes, false, false, false));
        assertEquals(Method.RING, loopback.allReduce(Hosts.of(new int[] {0, 1, 2, 3}), 64 << 20, false, false, false));
    }

    @Test
    void aRingOverGigabitTakesWhatTheFormulaSays() {
        double seconds = GIGABIT.seconds(Method.RING, Hosts.of(new int[] {0, 1, 2, 3}), 64 << 20);
        assertEquals(0.805, seconds, 0.02); // 2 D (n-1) / (n S) is 0.805 s; a few milliseconds are latency and sums
    }

    @Test
    void deterministicChoicesDoNotDependOnMeasurements() {
        for (int p = 1; p < 40; p++) {
            for (long bytes = 0; bytes < 1L << 30; bytes = 1 + 3 * bytes) {
                Method method = CostModel.DEFAULT.allReduce(Hosts.one(p), bytes, true, false, false);
                assertEquals(method, GIGABIT.allReduce(Hosts.one(p), bytes, true, false, false));
                assertTrue(method.isSerial());
            }
        }
        assertEquals(Method.DIRECT, GIGABIT.reduceScatter(Hosts.one(4), 10, true, false));
    }

    @Test
    void choicesRespectOrderAndEncoding() {
        for (int p = 1; p < 300; p += 7) {
            for (long bytes = 0; bytes < 1L << 30; bytes = 1 + 3 * bytes) {
                assertTrue(GIGABIT.allReduce(Hosts.one(p), bytes, false, true, false)
                        .isOrdered());
                assertTrue(GIGABIT.allReduce(Hosts.one(p), bytes, false, false, true)
                        .isCoded());
                assertTrue(
                        GIGABIT.allReduce(Hosts.one(p), bytes, true, true, true).isCoded());
            }
        }
    }

    @Test
    void timesGrowWithSizes() {
        for (Method m : Method.values()) {
            for (int[] hostOf : new int[][] {{0, 0, 0}, {0, 0, 1, 1}, {0, 1, 2, 3, 4}}) {
                Hosts hosts = Hosts.of(hostOf);
                double last = 0;
                for (long bytes = 1; bytes < 1L << 32; bytes *= 4) {
                    double now = GIGABIT.seconds(m, hosts, bytes);
                    assertTrue(now >= last && now > 0, m + " " + hosts + " " + bytes);
                    last = now;
                }
            }
            assertEquals(0, GIGABIT.seconds(m, Hosts.one(1), 1000));
        }
    }

    @Test
    void hostsAreCounted() {
        assertEquals(new Hosts(6, 2, 3, 1), Hosts.of(new int[] {4, 4, 4, 9, 9, 9}));
        assertEquals(new Hosts(4, 2, 2, 2), Hosts.of(new int[] {0, 1, 0, 1}));
        assertEquals(new Hosts(3, 1, 3, 0), Hosts.of(new int[3]));
    }

    @Test
    void theTableShowsTimesAndChoices() {
        String[] lines = GIGABIT.describe(Hosts.of(new int[] {0, 0, 1, 1})).split("\n");
        assertEquals(
                "4 ranks on 2 hosts; inside 1.0 us, 5.00 GB/s; between 50.0 us, 0.13 GB/s; combines 8.00 GB/s",
                lines[0]);
        assertEquals(9, lines.length);
        assertTrue(lines[1].strip().startsWith("bytes") && lines[1].contains("halving-doubling"));
        assertTrue(lines[8].endsWith("hierarchical"), lines[8]);
    }

    @Test
    void numbersAndNamesAreChecked() {
        var e = assertThrows(OxbowException.class, () -> CostModel.measured(0, 1, 1, 1, 1));
        assertEquals("CostModel: latency and bandwidth must be positive, got 0.0 s and 1.0 bytes/s", e.getMessage());
        assertThrows(OxbowException.class, () -> CostModel.measured(1, Double.NaN, 1, 1, 1));
        assertThrows(OxbowException.class, () -> CostModel.measured(1, 1, 1, 1, -1));
        assertEquals(Method.HALVING_DOUBLING, Method.named("halving-doubling"));
        var f = assertThrows(OxbowException.class, () -> Method.named("fast"));
        assertEquals(
                "all-reduce: no algorithm is called 'fast'; there are flat, doubling, star, tree, ring, halving-doubling,"
                        + " direct, hierarchical, shared",
                f.getMessage());
    }

    @Test
    void chunksAreBoundedAndAtLeastOneElement() {
        CostModel model = CostModel.DEFAULT;
        assertEquals(64 << 10, model.chunk(Method.RING, Hosts.one(4), 1000, 4));
        assertEquals(64 << 10, model.chunk(Method.RING, Hosts.one(4), 64 << 20, 4));
        assertEquals(2 << 20, model.chunk(Method.RING, Hosts.one(2), 64 << 20, 4));
        assertEquals(256 << 10, model.chunk(Method.DIRECT, Hosts.one(8), 100, 1));
    }

    @Test
    void chunksOverASlowNetworkAreFourMillisecondsLong() {
        Hosts alone = Hosts.of(new int[] {0, 1, 2, 3});
        assertEquals(488 << 8, GIGABIT.chunk(Method.RING, alone, 16 << 20, 4)); // 488 KiB of 125 MB/s
        assertEquals(64 << 10, GIGABIT.chunk(Method.DIRECT, Hosts.one(4), 16 << 20, 4)); // 256 KiB inside a host
    }
}
