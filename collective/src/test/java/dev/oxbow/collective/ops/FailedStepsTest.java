package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.CommunicatorConfig;
import dev.oxbow.collective.Reduction;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A step that fails on one rank fails on all, and the next one works again. */
final class FailedStepsTest {
    private static final CommunicatorConfig IMPATIENT = Ranks.CONFIG.withGrace(Duration.ofMillis(200));

    /** Two sums of a step, of which the second waits for what is fed. */
    private static final class Sums implements AutoCloseable {
        final Session session;
        final Value x;
        final Value first;
        final Value second;

        Sums(SessionOptions options, long elements) {
            Graph g = new Graph();
            x = Ops.in(g).placeholder("x", DType.F32, Shape.of(elements));
            first = Value.apply(AllReduce.of(Reduction.SUM).withKey("first"), x.times(2));
            second = Value.apply(
                    AllReduce.of(Reduction.SUM).withKey("second"),
                    first.times(x).log());
            session = Session.open(g, EngineOptions.defaults().withThreads(1), options);
        }

        /** The first sum, and with {@code both}, the logarithm of the second factor. */
        float run(float value, boolean both, RunOptions options) {
            float[] values = new float[(int) x.shape().size()];
            Arrays.fill(values, value);
            Session.Run run = session.fetch(first.edge()).options(options);
            if (both) run.fetch(second.edge());
            try (Tensor fed = Tensor.of(x.shape(), values);
                    Results r = run.feed(x.edge(), fed).run()) {
                return r.get(0).floats()[0];
            }
        }

        OxbowException fails(float value, boolean both, RunOptions options) {
            return assertThrows(OxbowException.class, () -> run(value, both, options));
        }

        /** Makes the first call only: it may end well before another rank fails, but then the next one does not. */
        OxbowException failsNowOrNext(float value) {
            try {
                run(value, false, RunOptions.none());
            } catch (OxbowException e) {
                return e;
            }
            return fails(value, false, RunOptions.none());
        }

        void works(Ranks.Rank r) {
            for (int step = 1; step <= 3; step++)
                assertEquals(step * r.size() * (r.size() + 1), run(step * (r.number() + 1), true, RunOptions.none()));
        }

        @Override
        public void close() {
            session.close();
        }
    }

    private enum End {
        DEADLINE,
        TOKEN,
        INTERRUPT,
        CLOSE
    }

    /** Rank 0 makes only the first of two calls, so the others wait in the second when their time is over. */
    @ParameterizedTest
    @EnumSource(End.class)
    void aStepThatIsEndedFromOutsideWorksAgain(End end) {
        try (Ranks ranks = new Ranks(3, IMPATIENT)) {
            List<OxbowException> errors = ranks.run(r -> {
                Sums sums = new Sums(r.options(), 4);
                sums.works(r);
                OxbowException e = null;
                if (r.number() == 0) {
                    e = sums.failsNowOrNext(1);
                } else if (r.number() == 1) {
                    e = endOf(sums, end);
                } else {
                    e = sums.fails(1, true, RunOptions.none());
                }
                if (r.number() == 1 && end == End.CLOSE) sums = new Sums(r.options(), 4);
                sums.works(r);
                sums.close();
                return e;
            });
            assertEquals(
                    end == End.DEADLINE ? DEADLINE_EXCEEDED : CANCELLED,
                    errors.get(1).code());
            for (int r : new int[] {0, 2}) {
                assertTrue(errors.get(r).getMessage().contains("rank 1"), errors.get(r)::getMessage);
                assertEquals(1, errors.get(r).rank(), errors.get(r)::getMessage);
            }
        }
    }

    private static OxbowException endOf(Sums sums, End end) throws InterruptedException {
        if (end == End.DEADLINE) return sums.fails(1, true, RunOptions.timeout(Duration.ofMillis(100)));
        Cancellation token = new Cancellation();
        AtomicReference<OxbowException> error = new AtomicReference<>();
        Thread runner = Thread.ofPlatform().start(() -> error.set(sums.fails(1, true, new RunOptions(null, token))));
        while (runner.getState() == Thread.State.NEW || runner.getState() == Thread.State.RUNNABLE) Thread.onSpinWait();
        switch (end) {
            case TOKEN -> token.cancel(CANCELLED, "on purpose");
            case INTERRUPT -> runner.interrupt();
            default -> sums.close();
        }
        runner.join();
        return error.get();
    }

    /** The check fails on one rank before its second call, in which the others wait. */
    @ParameterizedTest
    @ValueSource(longs = {4, 40_000})
    void aStepWithANumberThatIsNoneWorksAgain(long elements) {
        try (Ranks ranks = new Ranks(3, IMPATIENT)) {
            List<OxbowException> errors = ranks.run(r -> {
                SessionOptions options = r.options().withCheckNumerics(r.number() == 2);
                try (Sums sums = new Sums(options, elements)) {
                    sums.works(r);
                    OxbowException e = sums.fails(r.number() == 2 ? -1 : 2, true, RunOptions.none());
                    sums.works(r);
                    return e;
                }
            });
            for (OxbowException e : errors) assertTrue(e.getMessage().contains("Log: "), e::getMessage);
            for (int r = 0; r < 2; r++) {
                assertTrue(errors.get(r).getMessage().contains("rank 2"), errors.get(r)::getMessage);
                assertEquals(2, errors.get(r).rank());
                assertNotNull(errors.get(r).node());
            }
        }
    }

    /** Rank 0 fails after its last call; the others hear of it in their next step, whenever that begins. */
    @Test
    void ranksThatSawNothingOfAFailureMeetTheOthersAgain() {
        try (Ranks ranks = new Ranks(3, IMPATIENT)) {
            ranks.run(r -> {
                try (Sums sums = new Sums(r.options().withCheckNumerics(r.number() == 0), 4)) {
                    sums.works(r);
                    if (r.number() == 0) {
                        sums.fails(1.5e38f, false, RunOptions.none()); // twice that is a number, and the sum is none
                    } else {
                        sums.run(1.5e38f, false, RunOptions.none()); // which rank 0 has made, so it ends well
                        OxbowException e = sums.fails(1, false, RunOptions.none());
                        assertTrue(e.getMessage().contains("rank 0"), e::getMessage);
                    }
                    sums.works(r);
                    return null;
                }
            });
        }
    }

    @Test
    void whoeverIsMissingAfterAFailureIsNamedAndFindsTheOthersLater() throws Exception {
        CyclicBarrier late = new CyclicBarrier(2);
        Duration deadline = Duration.ofMillis(1500);
        try (Ranks ranks = new Ranks(2, IMPATIENT.withDeadline(deadline))) {
            List<OxbowException> errors = ranks.run(r -> {
                try (Sums sums = new Sums(r.options(), 4)) {
                    sums.works(r);
                    RunOptions soon = r.number() == 0 ? RunOptions.timeout(Duration.ofMillis(50)) : RunOptions.none();
                    if (r.number() == 0) sums.fails(1, true, soon);
                    else sums.failsNowOrNext(1);
                    OxbowException e = null;
                    if (r.number() == 0) {
                        e = sums.fails(1, true, RunOptions.none());
                        e = sums.fails(1, true, RunOptions.none());
                    }
                    late.await(60, TimeUnit.SECONDS);
                    sums.works(r);
                    return e;
                }
            });
            OxbowException e = errors.get(0);
            assertEquals(DEADLINE_EXCEEDED, e.code(), e::getMessage);
            assertTrue(
                    e.getMessage()
                            .startsWith("group '' has failed, and its ranks do not meet again: barrier 'renewal' of "
                                    + "group world (3): rank 1 has not called it within"),
                    e::getMessage);
        }
    }

    @Test
    void aLostRankIsNamedByEveryStepUntilTheGroupIsAnother() {
        try (Ranks ranks = new Ranks(3, IMPATIENT)) {
            CyclicBarrier closed = new CyclicBarrier(3);
            ranks.run(r -> {
                try (Sums sums = new Sums(r.options(), 4)) {
                    sums.works(r);
                    if (r.number() == 2) r.communicator().close();
                    closed.await(60, TimeUnit.SECONDS);
                    if (r.number() == 2) return null;
                    sums.fails(1, true, RunOptions.none());
                    for (int i = 0; i < 2; i++) {
                        OxbowException e = sums.fails(1, true, RunOptions.none());
                        assertEquals(UNAVAILABLE, e.code(), e::getMessage);
                        assertTrue(e.getMessage().contains("rank 2 is lost"), e::getMessage);
                        assertEquals(2, e.rank());
                    }
                    var survivors = r.communicator().world().reform(Duration.ofSeconds(20));
                    survivors.await();
                    r.groups().with("", survivors.group());
                    assertEquals(2 * 3, sums.run(r.number() + 1, true, RunOptions.none()));
                }
                return null;
            });
        }
    }

    /** Between two ranks large gradients are seen in place; for one rank that program is wrong. */
    @Test
    void programsExpandedForAGroupOfOtherRanksAreDropped() {
        try (Ranks ranks = new Ranks(2, IMPATIENT)) {
            ranks.run(r -> {
                try (Sums sums = new Sums(r.options(), 40_000)) {
                    sums.works(r);
                    var world = r.communicator().world();
                    var alone = List.of(world.subgroup(0), world.subgroup(1));
                    r.groups().with("", alone.get(r.number()));
                    assertEquals(6, sums.run(3, true, RunOptions.none()));
                    r.groups().with("", world);
                    sums.works(r);
                }
                return null;
            });
        }
    }
}
