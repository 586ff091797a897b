package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.oxbow.net.MeshConfig;
import dev.oxbow.net.sim.Conditions;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rank whose link is not read, because it is ahead by more than may be held, seems alive; deadlines end waits for it. */
final class HeldBackTest {
    private static final MeshConfig TIGHT =
            new MeshConfig(Duration.ofMillis(500), Duration.ofSeconds(5), 1 << 20, 2000);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWaitForARankThatIsHeldBackEndsByItsDeadlineAndNamesIt(boolean crashes) {
        List<Tensor> tensors = new ArrayList<>();
        try (SimulatedJob job = new SimulatedJob(1, 3, Conditions.GOOD, SimulatedJob.CONFIG.withMesh(TIGHT))) {
            for (int i = 0; i < 20; i++) {
                Tensor t = Tensor.of(Shape.of(1), 1f);
                tensors.add(t);
                Options ahead = Options.named("ahead " + i).withDeadline(Duration.ofMinutes(10));
                job.begin(1, g -> g.allReduce(t, Reduction.SUM, ahead));
            }
            Options late = Options.named("all").withDeadline(Duration.ofSeconds(60));
            job.beginAll(g -> g.barrier(late));
            if (crashes) job.simulation.after(Duration.ofSeconds(1), () -> job.crash(1));
            job.run(Duration.ofMinutes(5));
            for (OxbowException e : job.errors()) {
                assertEquals(DEADLINE_EXCEEDED, e.code());
                String why = crashes
                        ? "rank 1 has not answered within 60 s"
                        : "not finished within 60 s: rank 0 waits for rank 1, rank 1 waits for rank 2, rank 2 waits for rank 1";
                assertEquals("barrier 'all' of group world: " + why, e.getMessage());
            }
            if (!crashes) return;
            PendingGroup[] reformed = new PendingGroup[3];
            for (int r = 0; r < 3; r += 2) {
                int rank = r;
                job.begin(r, g -> reformed[rank] = g.reform(Duration.ofSeconds(30)));
            }
            job.run(Duration.ofMinutes(5));
            job.errors().forEach(e -> assertNull(e));
            assertArrayEquals(new int[] {0, 2}, reformed[2].group().members());
        } finally {
            tensors.forEach(Tensor::close);
        }
    }
}
