package dev.oxbow.cluster.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.net.shm.ShmConfig;
import dev.oxbow.net.sim.Conditions;
import dev.oxbow.net.sim.Delay;
import dev.oxbow.net.sim.Simulation;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** The protocol of links on the simulated network, with rings and without. */
final class SimulatedLinksTest {
    private static final OxbowException OVER = new OxbowException(ErrorCode.CANCELLED, "the test is over");
    private static final LinkOptions PLAIN = LinkOptions.defaults().withLaneBytes(0);
    private static final LinkOptions RINGS = LinkOptions.defaults().withLaneBytes(1 << 14);

    /** One want of a test: what it should bring, and what it brought. */
    private static final class Case {
        final float[] sent;
        final boolean fails;
        Tensor value;
        Throwable error;
        int ends;
        Wanted wanted;
        boolean givenUp;

        Case(float[] sent, boolean fails) {
            this.sent = sent;
            this.fails = fails;
        }
    }

    private static Case want(SimulatedTask by, int from, String key, float[] sent, boolean fails) {
        Case c = new Case(sent, fails);
        c.wanted = new Wanted(7, key, new Cancellation(), (value, error) -> {
            c.value = value;
            c.error = error;
            c.ends++;
            by.open--;
        });
        by.want(from, c.wanted);
        return c;
    }

    private static float[] numbers(SplittableRandom random, int count) {
        float[] x = new float[count];
        for (int i = 0; i < count; i++) x[i] = random.nextInt(1000);
        return x;
    }

    @RepeatedTest(200)
    void everyWantEndsOnceWithItsValueOrAnErrorThatNamesTheTask(RepetitionInfo run) {
        long seed = run.getCurrentRepetition(), used = MemoryPool.shared().bytesInUse();
        SplittableRandom random = new SplittableRandom(seed);
        Conditions wires = Conditions.GOOD
                .withDelay(Delay.uniform(Duration.ofNanos(5_000), Duration.ofMillis(1 + random.nextInt(20))))
                .withBytesPerSecond(1e6 * (1 + random.nextInt(500)))
                .withLoss(random.nextInt(3) * 0.03);
        int fault = random.nextInt(5);
        List<Case> cases = new ArrayList<>();
        int size = 2 + random.nextInt(2);
        try (Simulation simulation = new Simulation(seed, size, wires)) {
            LinkOptions options = random.nextBoolean() ? PLAIN : RINGS;
            SimulatedTask asks = new SimulatedTask(simulation, 0, options);
            List<SimulatedTask> tasks = new ArrayList<>(List.of(asks));
            for (int r = 1; r < size; r++) tasks.add(new SimulatedTask(simulation, r, options));
            for (int i = 0; i < 20; i++) {
                int from = 1 + random.nextInt(size - 1), kind = random.nextInt(10);
                float[] sent =
                        kind == 0 ? null : numbers(random, kind < 5 ? random.nextInt(10) : random.nextInt(50_000));
                boolean fails = kind == 9;
                String key = "value " + i;
                Duration made = Duration.ofNanos(random.nextInt(100_000_000));
                Duration wanted = Duration.ofNanos(random.nextInt(100_000_000));
                int number = i;
                if (sent != null)
                    simulation.after(made.plus(fails ? Duration.ofSeconds(1) : Duration.ZERO), () -> {
                        if (fails)
                            tasks.get(from).fail(key, new OxbowException(ErrorCode.INVALID_ARGUMENT, "bad " + key));
                        else tasks.get(from).send(key, Tensor.of(Shape.of(sent.length), sent));
                    });
                asks.open++; // until it is asked for
                boolean givesUp = sent == null || random.nextInt(6) == 0;
                long patience = random.nextInt(50_000_000);
                simulation.after(wanted, () -> {
                    asks.open--;
                    Case c = want(asks, from, key, sent, fails);
                    cases.add(c);
                    if (givesUp)
                        simulation.after(Duration.ofNanos(patience), () -> {
                            c.givenUp = true;
                            asks.giveUp(from, c.wanted, new OxbowException(ErrorCode.ABORTED, "number " + number));
                        });
                });
            }
            Duration when = Duration.ofNanos(random.nextInt(150_000_000));
            if (fault == 1) simulation.after(when, () -> simulation.crash(1));
            if (fault == 2) simulation.after(when, () -> simulation.isolate(1));
            if (fault == 3) simulation.after(when, () -> simulation.pause(1));
            if (fault == 4) { // shorter than what counts as lost: all goes on
                simulation.after(when, () -> simulation.pause(1));
                simulation.after(when.plusSeconds(3), () -> simulation.resume(1));
            }
            try {
                simulation.run(Duration.ofSeconds(60));
            } catch (OxbowException e) {
                // tasks that were stopped, or that nobody asks any more, are not done: only the asking one must be
                assertTrue(fault == 3 && asks.open == 0, () -> "seed " + seed + ": " + e.getMessage());
            }
            for (Case c : cases) check(c, fault, "seed " + seed);
            if (fault == 0 || fault == 4) {
                simulation.pass(Duration.ofSeconds(5));
                for (SimulatedTask t : tasks)
                    for (Serving s : t.serving) assertEquals(0, s.size(), "seed " + seed + ": the giving side forgets");
            }
            tasks.forEach(t -> t.close(OVER));
        }
        for (Case c : cases) if (c.value != null) c.value.release();
        long left = MemoryPool.shared().bytesInUse(); // less when tensors of other tests were forgotten meanwhile
        assertTrue(left <= used, () -> "seed %d: %d bytes, before %d".formatted(seed, left, used));
    }

    private static void check(Case c, int fault, String seed) {
        assertEquals(1, c.ends, seed + ": " + c.wanted.key);
        boolean healthy = fault == 0 || fault == 4;
        if (c.error == null) {
            assertNotNull(c.sent, seed + ": " + c.wanted.key + " was never made");
            assertArrayEquals(c.sent, c.value.floats(), seed + ": " + c.wanted.key);
            return;
        }
        assertNull(c.value, seed);
        OxbowException e = assertInstanceOf(OxbowException.class, c.error, seed);
        Set<ErrorCode> allowed = c.givenUp
                ? Set.of(ErrorCode.ABORTED, ErrorCode.UNAVAILABLE)
                : c.fails ? Set.of(ErrorCode.INVALID_ARGUMENT, ErrorCode.UNAVAILABLE) : Set.of(ErrorCode.UNAVAILABLE);
        assertTrue(allowed.contains(e.code()), seed + ": " + e.getMessage());
        assertTrue(!healthy || c.givenUp || c.fails, seed + ": " + e.getMessage());
        if (e.code() == ErrorCode.UNAVAILABLE)
            assertTrue(e.getMessage().contains("/job:worker/replica:0/task:1"), seed + ": " + e.getMessage());
    }

    @Test
    void whatNobodyWantsIsNotSentAndASmallValueOvertakesALargeOne() {
        Conditions slow = Conditions.GOOD.withBytesPerSecond(10e6);
        try (Simulation simulation = new Simulation(1, 2, slow)) {
            SimulatedTask asks = new SimulatedTask(simulation, 0, PLAIN), has = new SimulatedTask(simulation, 1, PLAIN);
            float[] large = new float[5 << 20];
            has.send("nobody", Tensor.of(Shape.of(large.length), large));
            has.send("large", Tensor.of(Shape.of(large.length), large));
            Case first = want(asks, 1, "large", large, false);
            simulation.pass(Duration.ofMillis(500));
            assertEquals(0, first.ends, "20 MB take 2 s at 10 MB/s");
            has.send("small", Tensor.scalar(3f));
            Case second = want(asks, 1, "small", new float[] {3}, false);
            simulation.pass(Duration.ofMillis(300));
            assertEquals(1, second.ends);
            assertEquals(0, first.ends);
            simulation.run(Duration.ofSeconds(10));
            assertEquals(1, first.ends);
            long moved = simulation.counters(1, 0).bytes();
            assertTrue(moved < 21 << 20, moved + " bytes were sent");
            first.value.release();
            second.value.release();
            asks.close(OVER);
            has.close(OVER);
        }
    }

    @Test
    void whatIsGivenUpIsSentNoFurther() {
        try (Simulation simulation = new Simulation(1, 2, Conditions.GOOD.withBytesPerSecond(10e6))) {
            SimulatedTask asks = new SimulatedTask(simulation, 0, PLAIN), has = new SimulatedTask(simulation, 1, PLAIN);
            float[] large = new float[5 << 20];
            has.send("large", Tensor.of(Shape.of(large.length), large));
            Case c = want(asks, 1, "large", large, false);
            simulation.pass(Duration.ofMillis(300));
            asks.giveUp(1, c.wanted, OVER);
            simulation.pass(Duration.ofSeconds(10));
            assertEquals(OVER, c.error);
            long moved = simulation.counters(1, 0).bytes();
            assertTrue(moved > 2 << 20 && moved < 6 << 20, moved + " bytes were sent");
            asks.close(OVER);
            has.close(OVER);
        }
    }

    @Test
    void whoSleepsIsWokenWhenARingHasSomethingOrRoom() {
        try (Simulation simulation = new Simulation(1, 2, Conditions.GOOD)) {
            SimulatedTask asks = new SimulatedTask(simulation, 0, RINGS), has = new SimulatedTask(simulation, 1, RINGS);
            float[] large = numbers(new SplittableRandom(1), 1 << 20);
            has.send("large", Tensor.of(Shape.of(large.length), large));
            Case c = want(asks, 1, "large", large, false);
            simulation.run(Duration.ofMillis(200)); // 256 rings full, and they look by themselves every 125 ms
            assertArrayEquals(large, c.value.floats());
            long wire = simulation.counters(1, 0).bytes(),
                    ring = has.serving.getFirst().line().lane().copied();
            assertTrue(wire < 100_000, wire + " bytes went beside the ring");
            assertTrue(ring < 4.1 * large.length, ring + " bytes were copied into the ring");
            c.value.release();
            asks.close(OVER);
            has.close(OVER);
        }
    }

    @Test
    void aRingThatTheOtherEndCanNotOpenIsGivenUp() throws IOException {
        try (Simulation simulation = new Simulation(1, 2, Conditions.GOOD)) {
            SimulatedTask asks = new SimulatedTask(simulation, 0, RINGS), has = new SimulatedTask(simulation, 1, RINGS);
            float[] large = numbers(new SplittableRandom(1), 1 << 16);
            has.send("large", Tensor.of(Shape.of(large.length), large));
            Case c = want(asks, 1, "large", large, false);
            simulation.pass(Duration.ofNanos(1_000));
            Line line = asks.asking.get(1).line();
            Files.delete(ShmConfig.DEFAULT.directory().resolve(line.lane().name()));
            simulation.run(Duration.ofSeconds(10));
            assertArrayEquals(large, c.value.floats());
            assertNull(line.lane(), "values come by the link");
            c.value.release();
            asks.close(OVER);
            has.close(OVER);
        }
    }

    @Test
    void aTaskThatGivesNoSignOfLifeIsLostAfterFiveSecondsAndNamed() {
        try (Simulation simulation = new Simulation(1, 2, Conditions.GOOD)) {
            SimulatedTask asks = new SimulatedTask(simulation, 0, PLAIN), has = new SimulatedTask(simulation, 1, PLAIN);
            Case c = want(asks, 1, "never", null, false);
            simulation.pass(Duration.ofSeconds(20));
            assertEquals(0, c.ends, "a task that lives may take its time");
            simulation.pause(1);
            simulation.pass(Duration.ofMillis(4_500));
            assertEquals(0, c.ends);
            simulation.pass(Duration.ofSeconds(1));
            assertEquals(1, c.ends);
            assertTrue(
                    c.error
                            .getMessage()
                            .startsWith(
                                    "the link to /job:worker/replica:0/task:1 was lost: it gave no sign of life for 5."),
                    c.error.getMessage());
            asks.close(OVER);
            has.close(OVER);
        }
    }

    @Test
    void timeInWhichTheAskingTaskStoodStillDoesNotCount() {
        try (Simulation simulation = new Simulation(1, 2, Conditions.GOOD)) {
            SimulatedTask asks = new SimulatedTask(simulation, 0, PLAIN), has = new SimulatedTask(simulation, 1, PLAIN);
            Case c = want(asks, 1, "late", new float[] {1}, false);
            simulation.pass(Duration.ofMillis(100));
            simulation.pause(0);
            simulation.pass(Duration.ofSeconds(4));
            simulation.resume(0);
            has.send("late", Tensor.of(Shape.of(1), 1f));
            simulation.run(Duration.ofSeconds(10));
            assertNull(c.error);
            assertArrayEquals(c.sent, c.value.floats());
            c.value.release();
            asks.close(OVER);
            has.close(OVER);
        }
    }
}
