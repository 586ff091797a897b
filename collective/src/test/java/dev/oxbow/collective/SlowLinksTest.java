package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.MeshConfig;
import dev.oxbow.net.sim.Conditions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A healthy exchange may take longer than the default deadline; one that moves nothing may not. */
final class SlowLinksTest {
    private static final int SIZE = 3;
    private static final Shape SHAPE = Shape.of(1 << 20);
    /** With which the 4 MB of a tensor take more than five seconds. */
    private static final Conditions SLOW = Conditions.GOOD.withBytesPerSecond(1_000_000);

    /** Ranks are not given up before the deadlines of calls. */
    private static final CommunicatorConfig CONFIG = SimulatedJob.CONFIG
            .withDeadline(Duration.ofSeconds(3))
            .withMesh(MeshConfig.DEFAULT.withLiveness(Duration.ofMillis(500), Duration.ofSeconds(60)));

    private final List<Tensor> tensors = new ArrayList<>();

    @AfterEach
    void close() {
        tensors.forEach(Tensor::close);
    }

    private Tensor ones() {
        Tensor t = Tensor.zeros(DType.F32, SHAPE);
        for (long i = 0; i < t.size(); i++) t.set(i, 1);
        tensors.add(t);
        return t;
    }

    private void begin(SimulatedJob job, Options options) {
        for (int r = 0; r < SIZE; r++) {
            Tensor t = ones();
            job.begin(r, g -> g.allReduce(t, Reduction.SUM, options));
        }
    }

    @Test
    void callsThatMoveOutliveTheDefaultDeadlineAlsoBehindOthers() {
        try (SimulatedJob job = new SimulatedJob(3, SIZE, SLOW, CONFIG)) {
            begin(job, Options.named("first").withPriority(1));
            begin(job, Options.named("second"));
            job.run(Duration.ofMinutes(30));
            job.errors().forEach(e -> assertNull(e));
            assertTrue(job.simulation.nanoTime() > 10e9, job.simulation.nanoTime() / 1e9 + " s");
            for (Tensor t : tensors) assertEquals(SIZE, t.getDouble(t.size() - 1));
        }
    }

    @Test
    void aCallThatStallsOnTheWayEndsByTheDeadlineAfterItsLastByte() {
        try (SimulatedJob job = new SimulatedJob(4, SIZE, SLOW, CONFIG)) {
            begin(job, Options.named("torn"));
            job.simulation.after(Duration.ofSeconds(4), () -> {
                for (int to = 1; to < SIZE; to++) job.simulation.setConditions(0, to, SLOW.withBytesPerSecond(1e-3));
            });
            job.run(Duration.ofMinutes(5));
            double seconds = job.simulation.nanoTime() / 1e9;
            assertTrue(seconds > 4 + 3 && seconds < 4 + 2 * 3 + 2, seconds + " s");
            for (OxbowException e : job.errors())
                assertTrue(e.getMessage().contains(" within 3 s of the last byte"), e.getMessage());
        }
    }

    @Test
    void aDeadlineOfTheCallersHolds() {
        try (SimulatedJob job = new SimulatedJob(5, SIZE, SLOW, CONFIG)) {
            begin(job, Options.named("short").withDeadline(Duration.ofSeconds(3)));
            job.run(Duration.ofMinutes(5));
            for (OxbowException e : job.errors()) assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
        }
    }
}
