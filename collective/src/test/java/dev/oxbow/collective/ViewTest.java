package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ViewTest {
    private static final int CALLS = 20;
    private static final int COUNT = 3000;

    @ParameterizedTest
    @EnumSource(Wiring.class)
    void everyRankReadsTheElementsOfAllUntilItGivesThemBack(Wiring wiring) {
        for (int size : new int[] {1, 2, 3, 5}) {
            try (Job job = new Job(wiring, size, Job.CONFIG)) {
                job.run(c -> {
                    Elements mine = c.allocate(DType.I64, COUNT);
                    for (int call = 0; call < CALLS; call++) {
                        for (int i = 0; i < COUNT; i++)
                            Memory.putLong(mine.address() + 8L * i, value(c.rank(), call, i));
                        PendingViews all = c.world().view(mine, Options.named("all"));
                        all.await();
                        for (int r = 0; r < size; r++)
                            for (int i = 0; i < COUNT; i++)
                                assertEquals(value(r, call, i), Memory.getLong(all.address(r) + 8L * i));
                        all.giveBack().await();
                    }
                    return null;
                });
            }
        }
    }

    private static long value(int rank, int call, int i) {
        return (rank * 1000L + call) * COUNT + i;
    }

    @Test
    void nothingIsReadBeforeAllHaveCome() {
        try (Job job = new Job(2)) {
            Communicator c = job.rank(0);
            PendingViews all = c.world().view(c.allocate(DType.F32, 10), Options.named("all"));
            assertFalse(all.await(Duration.ofMillis(50)));
            assertThrows(OxbowException.class, () -> all.address(0));
        }
    }

    @Test
    void aRankThatDoesNotGiveBackIsNamed() {
        try (Job job = new Job(Wiring.MEMORY, 2, Job.CONFIG.withDeadline(Duration.ofSeconds(2)))) {
            List<OxbowException> errors = job.run(c -> {
                PendingViews all = c.world().view(c.allocate(DType.F32, COUNT), Options.named("all"));
                all.await();
                Pending end = c.rank() == 0 ? all.giveBack() : all.whole();
                return assertThrows(OxbowException.class, end::await);
            });
            for (OxbowException e : errors) {
                assertEquals(DEADLINE_EXCEEDED, e.code());
                assertTrue(e.getMessage().contains("rank 0 waits for rank 1"), e.getMessage());
            }
        }
    }
}
