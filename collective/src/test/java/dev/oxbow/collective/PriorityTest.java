package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.sim.Conditions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is needed first goes first, in virtual time over links of 1 Gbit/s. */
final class PriorityTest {
    private static final Conditions GIGABIT = Conditions.GOOD.withBytesPerSecond(125e6);
    private static final long LARGE = 2 << 20;
    private static final int LARGE_ONES = 4;
    private static final long SMALL = 256 << 10;

    /** The seconds at which large all-reduces, and a small one of this priority that begins a millisecond later, end. */
    private static double[] ends(int size, int priority) {
        double[] ends = new double[2];
        List<Tensor> tensors = new ArrayList<>();
        try (SimulatedJob job = new SimulatedJob(1, size, GIGABIT, SimulatedJob.CONFIG)) {
            List<Pending> all = new ArrayList<>();
            for (int i = 0; i < LARGE_ONES; i++)
                for (int r = 0; r < size; r++) all.add(begin(job, r, "large " + i, LARGE, 0, tensors, ends, 0));
            job.simulation.after(Duration.ofMillis(1), () -> {
                for (int r = 0; r < size; r++) all.add(begin(job, r, "small", SMALL, priority, tensors, ends, 1));
            });
            job.run(Duration.ofSeconds(100));
            for (Pending p : all) assertNull(p.error());
        } finally {
            tensors.forEach(Tensor::close);
        }
        return ends;
    }

    private static Pending begin(
            SimulatedJob job,
            int rank,
            String name,
            long count,
            int priority,
            List<Tensor> tensors,
            double[] ends,
            int i) {
        Tensor t = Tensor.zeros(DType.F32, Shape.of(count));
        tensors.add(t);
        Options o = Options.named(name).withPriority(priority).withAlgorithm("ring");
        Pending p = job.begin(rank, g -> g.allReduce(t, Reduction.SUM, o));
        p.whenDone(_ -> ends[i] = Math.max(ends[i], job.rank(rank).nanoTime() / 1e9));
        return p;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void aBucketOfHighPriorityOvertakesLargeOnesThatBeganBefore(int size) {
        double[] alike = ends(size, 0), urgent = ends(size, 1);
        assertTrue(urgent[1] < alike[1] * 2 / 3, () -> "%.3f s, and %.3f s without".formatted(urgent[1], alike[1]));
        assertTrue(
                urgent[1] < urgent[0] * 2 / 3,
                () -> "%.3f s, and the large ones %.3f s".formatted(urgent[1], urgent[0]));
    }
}
