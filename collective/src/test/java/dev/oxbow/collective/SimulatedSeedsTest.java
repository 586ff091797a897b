package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.sim.Conditions;
import dev.oxbow.net.sim.Delay;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All-reduces under seeded delay, loss and crashes: the right sum, or an error that names a rank; never a hang. */
final class SimulatedSeedsTest {
    /** Deadlines are 30 s of virtual time, and a failure takes a few times 1 s more. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @ParameterizedTest
    @ValueSource(ints = {0, 50, 100, 150})
    void sumsAreRightOrAnErrorNamesARank(int first) {
        for (int seed = first; seed < first + 50; seed++) run(seed, ranks(seed, 256));
    }

    @Test
    @Tag("long")
    void sumsAreRightOrAnErrorNamesARankForManySeeds() {
        for (int seed = 200; seed < 2_200; seed++) run(seed, ranks(seed, 256));
    }

    @Test
    @Tag("long")
    void sumsOfManyRanksAreRightOrAnErrorNamesARank() {
        for (int seed = 0; seed < 20; seed++) run(10_000 + seed, 1_024);
    }

    /** Log-uniform from 1 to {@code most}. */
    private static int ranks(int seed, int most) {
        double log = new SplittableRandom(seed).nextDouble() * Math.log(most + 0.999);
        return Math.clamp((int) Math.exp(log), 1, most);
    }

    private static void run(int seed, int size) {
        SplittableRandom random = new SplittableRandom(~(long) seed);
        boolean crashes = random.nextInt(2) == 0;
        Conditions conditions = Conditions.GOOD
                .withDelay(
                        Delay.uniform(Duration.ofNanos(10_000), Duration.ofNanos(20_000 + random.nextInt(2_000_000))))
                .withLoss(random.nextInt(2) == 0 ? 0 : random.nextDouble() * 0.05)
                .withDuplication(random.nextDouble() * 0.05)
                .withReordering(random.nextDouble() * 0.1, Duration.ofMillis(1));
        int count = switch (random.nextInt(4)) {
            case 0 -> random.nextInt(4);
            case 1 -> random.nextInt(1_000);
            default -> random.nextInt(size > 64 ? 5_000 : 100_000);
        };
        String what = "seed %d: %d ranks, %d values%s".formatted(seed, size, count, crashes ? ", crashes" : "");
        List<Tensor> tensors = new ArrayList<>();
        List<Pending> pending = new ArrayList<>();
        try (SimulatedJob job = new SimulatedJob(seed, size, conditions, SimulatedJob.CONFIG)) {
            for (int r = 0; r < size; r++) {
                Tensor t = Tensor.allocate(DType.F32, Shape.of(count));
                for (int i = 0; i < count; i++) Memory.putFloat(t.address() + 4L * i, value(r, i));
                tensors.add(t);
                Duration late = Duration.ofNanos(random.nextLong(20_000_000));
                pending.add(null);
                int rank = r;
                job.begin(r, g -> {
                    Pending call = new Pending(g.communicator());
                    job.simulation.after(late, () -> {
                        pending.set(rank, g.allReduce(t));
                        pending.get(rank).whenDone(call::end);
                        job.simulation.node(rank).wakeUp();
                    });
                    return call;
                });
            }
            List<Integer> dead = new ArrayList<>();
            for (int n = crashes ? 1 + random.nextInt(Math.max(1, size / 8)) : 0;
                    n > 0 && dead.size() < size - 1;
                    n--) {
                int rank = random.nextInt(size);
                if (dead.contains(rank)) continue;
                dead.add(rank);
                job.simulation.after(Duration.ofNanos(random.nextLong(40_000_000)), () -> job.crash(rank));
            }
            job.run(LIMIT);
            for (int r = 0; r < size; r++)
                if (!dead.contains(r)) check(what, r, pending.get(r), tensors.get(r), size, dead);
        } catch (OxbowException | AssertionError e) {
            throw new AssertionError(what + ": " + e.getMessage(), e);
        } finally {
            tensors.forEach(Tensor::close);
        }
    }

    private static void check(String what, int rank, Pending p, Tensor t, int size, List<Integer> dead) {
        OxbowException e = p.error();
        if (e != null) {
            boolean named =
                    dead.stream().anyMatch(d -> e.getMessage().matches("(?s).*\\branks? ([0-9, ]*, )?" + d + "\\b.*"));
            assertTrue(named, what + ": rank " + rank + " says " + e.getMessage() + ", but dead are " + dead);
            return;
        }
        for (int i = 0; i < t.size(); i++) {
            float sum = 0;
            for (int r = 0; r < size; r++) sum += value(r, i);
            assertEquals(sum, Memory.getFloat(t.address() + 4L * i), what + ": rank " + rank + ", value " + i);
        }
    }

    /** Small whole numbers, whose sums are exact in any order. */
    private static float value(int rank, int i) {
        return (rank * 31 + i * 17) % 64 - 20;
    }
}
