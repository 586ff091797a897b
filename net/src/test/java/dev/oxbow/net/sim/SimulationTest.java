package dev.oxbow.net.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.Link;
import dev.oxbow.net.Rig;
import dev.oxbow.net.Traffic;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SimulationTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private final long before = MemoryPool.shared().bytesInUse();
    private final Arena arena = Arena.ofAuto();
    private final long memory = arena.allocate(1 << 20, 64).address();

    @AfterEach
    void nothingIsLeft() {
        assertTrue(MemoryPool.shared().bytesInUse() <= before, "memory is given back");
    }

    @Test
    void randomTrafficArrivesWholeAndInOrderWhateverTheNetworkDoes() {
        for (long seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Conditions bad = conditions(random);
            int size = 2 + random.nextInt(3);
            long window = 1L << random.nextInt(8, 19);
            try (Simulation simulation = new Simulation(seed, size, bad, window)) {
                run(simulation, seed, random.nextLong(1, 2 * window + 20_000));
                assertEquals(0, simulation.counters(0, 0).datagrams());
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", " + bad, e);
            }
        }
    }

    private static Conditions conditions(SplittableRandom random) {
        Delay delay = random.nextBoolean()
                ? Delay.exponential(Duration.ofNanos(random.nextInt(100_000)), Duration.ofNanos(100_000))
                : Delay.uniform(Duration.ZERO, Duration.ofNanos(random.nextInt(1_000_000)));
        return new Conditions(
                delay,
                random.nextInt(4) == 0 ? Double.POSITIVE_INFINITY : Math.pow(10, random.nextDouble(6, 10)),
                random.nextBoolean() ? random.nextDouble(0.4) : 0,
                random.nextBoolean() ? random.nextDouble(0.4) : 0,
                random.nextBoolean() ? random.nextDouble(0.4) : 0,
                Duration.ofNanos(random.nextInt(2_000_000)));
    }

    private static void run(Simulation simulation, long seed, long bytes) {
        Rig.simulated(simulation, transport -> new Traffic(transport, seed, bytes));
        simulation.run(MINUTE.multipliedBy(10));
    }

    @Test
    void theSeedRepeatsTheWholeHistory() {
        assertEquals(history(7), history(7));
        assertNotEquals(history(7), history(8));
    }

    private static String history(long seed) {
        try (Simulation simulation = new Simulation(seed, 3, Conditions.GOOD.withLoss(0.1))) {
            run(simulation, 1, 100_000);
            return simulation.fingerprint() + " " + simulation.nanoTime() + " " + simulation.counters(1);
        }
    }

    @Test
    void aPartitionStopsTrafficUntilItIsHealed() {
        try (Simulation simulation = new Simulation(1, 4, Conditions.GOOD)) {
            simulation.after(Duration.ofNanos(100_000), () -> simulation.isolate(1, 2));
            OxbowException e = assertThrows(OxbowException.class, () -> {
                Rig.simulated(simulation, transport -> new Traffic(transport, 1, 100_000));
                simulation.run(Duration.ofSeconds(3));
            });
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
            assertEquals(
                    "Simulation of seed 1: no progress until t=3.000 s: not done: {0, 1, 2, 3}; crashed: {}; paused: {}",
                    e.getMessage());
            assertTrue(simulation.counters(0, 1).lost() > 0);
            assertEquals(0, simulation.counters(1, 2).lost());
            simulation.heal();
            simulation.run(Duration.ofSeconds(3));
        }
    }

    @Test
    void aCrashedRankIsNeverSteppedAgainAndItsDatagramsVanish() {
        try (Simulation simulation = new Simulation(1, 2, Conditions.GOOD)) {
            Link link = simulation.node(1).link(0);
            int[] steps = new int[2];
            for (int rank = 0; rank < 2; rank++) {
                int own = rank;
                simulation.setStep(rank, () -> {
                    steps[own]++;
                    simulation.node(own).await(1_000_000);
                    return steps[0] > 10;
                });
            }
            simulation.after(Duration.ofMillis(3), () -> {
                link.write(memory, 100);
                link.flush();
                simulation.crash(1);
            });
            simulation.run(MINUTE);
            assertEquals(3, steps[1]);
            assertEquals(0, simulation.node(0).link(1).available());
            assertEquals(-1, simulation.node(0).opened());
        }
    }

    @Test
    void aPausedRankReceivesButDoesNotRun() {
        try (Simulation simulation = new Simulation(1, 2, Conditions.GOOD)) {
            long[] got = new long[1];
            simulation.setStep(1, () -> {
                got[0] = simulation.node(1).link(0).available();
                return got[0] == 100;
            });
            simulation.pause(1);
            Link link = simulation.node(0).link(1);
            assertEquals(100, link.write(memory, 100));
            link.flush();
            simulation.pass(Duration.ofSeconds(1));
            assertEquals(0, got[0]);
            assertEquals(0, simulation.counters(0, 1).retransmitted());
            simulation.resume(1);
            simulation.run(Duration.ofSeconds(1));
            assertEquals(100, got[0]);
            assertEquals(0, simulation.node(1).opened(), "rank 1 had not opened its link when the first bytes came");
        }
    }

    @Test
    void timeFollowsFromDelayAndBandwidth() {
        Conditions slow =
                Conditions.GOOD.withDelay(Delay.fixed(Duration.ofMillis(1))).withBytesPerSecond(1e8);
        try (Simulation simulation = new Simulation(1, 2, slow, 1 << 20)) {
            Link to = simulation.node(0).link(1);
            assertEquals(1 << 20, to.write(memory, 1 << 20));
            assertEquals(0, to.write(memory, 1));
            Link from = simulation.node(1).link(0);
            long[] read = new long[1];
            simulation.setStep(1, () -> {
                for (long n = from.available(); n > 0; n = from.available()) {
                    from.skip(n);
                    read[0] += n;
                }
                return read[0] == 1 << 20;
            });
            simulation.run(MINUTE);
            assertEquals(1_000_000 + (((1 << 20) + 16 * 64) * 10), simulation.nanoTime(), 16);
            assertEquals(new Counters(1 << 20, 16, 0, 16, 0, 0, 0), simulation.counters(0, 1));
        }
    }

    @Test
    void everyFlushIsOneSegmentAndIsCounted() {
        try (Simulation simulation = new Simulation(1, 2, Conditions.GOOD)) {
            Link link = simulation.node(0).link(1);
            for (int i = 0; i < 10; i++) {
                link.write(memory, 40);
                link.write(memory, 60);
                link.flush();
            }
            simulation.pass(Duration.ofMillis(10));
            assertEquals(1000, simulation.counters(0, 1).bytes());
            assertEquals(10, simulation.counters(0, 1).segments());
            assertEquals(10, simulation.counters(1, 0).datagrams());
            assertEquals(1000, simulation.node(1).link(0).available());
        }
    }

    @Test
    void stepsWithoutEndAreAnErrorAndNotAHang() {
        try (Simulation simulation = new Simulation(1, 1, Conditions.GOOD)) {
            simulation.setStep(0, () -> {
                simulation.node(0).wakeUp();
                return false;
            });
            OxbowException e = assertThrows(OxbowException.class, () -> simulation.run(MINUTE));
            assertEquals("Simulation of seed 1: rank 0 is stepped without end at t=0.000 s", e.getMessage());
        }
    }

    @Test
    void aRankThatHasClosedAnswersNewLinksByClosingThem() {
        try (Simulation simulation = new Simulation(1, 2, Conditions.GOOD)) {
            simulation.node(1).close();
            Link link = simulation.node(0).link(1);
            link.write(memory, 10);
            link.flush();
            simulation.pass(Duration.ofMillis(10));
            OxbowException e = assertThrows(OxbowException.class, link::available);
            assertEquals("rank 1 closed the connection", e.getMessage());
            assertThrows(OxbowException.class, () -> link.write(memory, 10));
        }
    }

    @Test
    void aThousandRanksInARingAreCheap() {
        int size = 1024;
        int rounds = 200;
        try (Simulation simulation = new Simulation(1, size, Conditions.GOOD.withLoss(0.01))) {
            for (int rank = 0; rank < size; rank++) {
                Link to = simulation.node(rank).link((rank + 1) % size);
                Link from = simulation.node(rank).link((rank + size - 1) % size);
                int[] counts = new int[2];
                simulation.setStep(rank, () -> {
                    for (; from.available() >= 64; counts[1]++) from.skip(64);
                    for (; counts[0] <= counts[1] && counts[0] < rounds; counts[0]++) {
                        assertEquals(64, to.write(memory, 64));
                        to.flush();
                    }
                    return counts[1] == rounds;
                });
            }
            simulation.run(MINUTE);
            assertEquals(rounds * 64, simulation.counters(5).bytes());
        }
    }
}
