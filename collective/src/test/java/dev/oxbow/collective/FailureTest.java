package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.ALREADY_EXISTS;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.sim.Conditions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each way in which collectives fail, in virtual time, with the whole message on every rank. */
final class FailureTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final long LARGE = 1 << 20;

    private final SimulatedJob job = new SimulatedJob(1, 4);
    private final List<Tensor> tensors = new ArrayList<>();

    @AfterEach
    void close() {
        job.close();
        tensors.forEach(Tensor::close);
    }

    private Tensor tensor(DType dtype, long... dims) {
        Tensor t = Tensor.zeros(dtype, Shape.of(dims));
        tensors.add(t);
        return t;
    }

    private Pending sum(Group g, String name, DType dtype, long... dims) {
        return g.allReduce(tensor(dtype, dims), Reduction.SUM, Options.DEFAULT.withName(name));
    }

    private void beginEach(IntFunction<Pending> call) {
        for (int r = 0; r < job.size(); r++) {
            int rank = r;
            job.begin(r, _ -> call.apply(rank));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {4, LARGE})
    void aCrashedRankIsNamedByAllOthers(long count) {
        job.crash(2);
        job.beginAll(g -> sum(g, "grads/w1", DType.F32, count));
        job.run(LIMIT);
        for (OxbowException e : job.errors()) {
            assertEquals(UNAVAILABLE, e.code());
            String start = "all-reduce 'grads/w1' of group world: rank 2 is lost: gave no sign of life for 5.";
            assertEquals(start, e.getMessage().substring(0, start.length()));
            assertEquals(job.errors().getFirst().getMessage(), e.getMessage());
        }
    }

    /** Nearly together: the judge does not wait for the end of the later silence, but names who is silent for almost as long. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1_300})
    void ranksThatCrashTogetherAreAllNamed(int laterMillis) {
        job.crash(1);
        if (laterMillis == 0) job.crash(2);
        else job.simulation.after(Duration.ofMillis(laterMillis), () -> job.crash(2));
        job.beginAll(g -> sum(g, "x", DType.F32, LARGE));
        job.run(LIMIT);
        assertEquals(2, job.errors().size());
        for (OxbowException e : job.errors()) {
            String text = e.getMessage().replaceAll("for [0-9.]+ s", "for a while");
            assertEquals(
                    "all-reduce 'x' of group world: rank 1 is lost: gave no sign of life for a while;"
                            + " rank 2 is lost: gave no sign of life for a while",
                    text);
        }
    }

    @Test
    void aRankThatCrashesInTheMiddleIsNamedByAllOthers() {
        job.beginAll(g -> sum(g, "x", DType.F32, LARGE));
        job.simulation.after(Duration.ofMillis(1), () -> job.crash(0));
        job.run(LIMIT);
        for (OxbowException e : job.errors())
            assertTrue(e.getMessage().startsWith("all-reduce 'x' of group world: rank 0 is lost: "), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(longs = {4, LARGE})
    void anotherShapeIsNamedBeforeDataMoves(long count) {
        beginEach(r -> sum(job.world(r), "grads/w1", DType.F32, r == 2 ? 8 : count));
        job.run(LIMIT);
        job.assertAllFail(
                INVALID_ARGUMENT,
                "all-reduce 'grads/w1' of group world: rank 2 called all-reduce 'grads/w1' with f32[8], ranks 0, 1, 3 with f32[%d]"
                        .formatted(count));
    }

    @Test
    void anotherShapeOfTheSameSizeIsNamed() {
        beginEach(r -> r == 1 ? sum(job.world(r), "x", DType.F32, 2, 4) : sum(job.world(r), "x", DType.F32, 4, 2));
        job.run(LIMIT);
        job.assertAllFail(
                INVALID_ARGUMENT,
                "all-reduce 'x' of group world: rank 1 called all-reduce 'x' with f32[2,4], ranks 0, 2, 3 with f32[4,2]");
    }

    @Test
    void emptyIsAShapeToo() {
        beginEach(r -> sum(job.world(r), "x", DType.F32, r == 3 ? 0 : 4));
        job.run(LIMIT);
        job.assertAllFail(
                INVALID_ARGUMENT,
                "all-reduce 'x' of group world: rank 3 called all-reduce 'x' with f32[0], ranks 0, 1, 2 with f32[4]");
    }

    @Test
    void anotherDtypeOfTheSameWidthIsNamed() {
        beginEach(r -> sum(job.world(r), null, r == 0 ? DType.I32 : DType.F32, 4));
        job.run(LIMIT);
        job.assertAllFail(
                INVALID_ARGUMENT,
                "all-reduce#0 of group world: rank 0 called all-reduce#0 with i32[4], ranks 1, 2, 3 with f32[4]");
    }

    @Test
    void tiesNameBothSides() {
        beginEach(r -> sum(job.world(r), "x", DType.F32, r < 2 ? 4 : 5));
        job.run(LIMIT);
        job.assertAllFail(
                INVALID_ARGUMENT,
                "all-reduce 'x' of group world: ranks 0, 1 called all-reduce 'x' with f32[4], ranks 2, 3 with f32[5]");
    }

    @Test
    void anotherReductionOrRootIsNamed() {
        beginEach(r -> job.world(r)
                .reduce(Elements.of(tensor(DType.I64, 3)), r == 3 ? Reduction.MAX : Reduction.MIN, 0, Options.DEFAULT));
        job.run(LIMIT);
        job.assertAllFail(
                INVALID_ARGUMENT,
                "reduce#0 of group world: rank 3 called reduce#0 with i64[3] max, ranks 0, 1, 2 with i64[3] min");
    }

    @Test
    void anotherKindOfCallIsNamedAtOnce() {
        beginEach(r -> r == 1
                ? job.world(r).broadcast(tensor(DType.F32, 4), 0, Options.DEFAULT)
                : job.world(r).allReduce(tensor(DType.F32, 4)));
        job.run(Duration.ofSeconds(3));
        String text = "rank 1 called broadcast#0 with f32[4] root 0, ranks 0, 2, 3 called all-reduce#0 with f32[4] sum";
        for (OxbowException e : job.errors()) assertTrue(e.getMessage().endsWith(text), e.getMessage());
    }

    @Test
    void splitsThatDoNotFitAreNamedBeforeDataMoves() {
        beginEach(r -> {
            long[] sends = {1, 1, 1, 1}, receives = {1, 1, 1, 1};
            if (r == 3) receives[1] = 2;
            return job.world(r)
                    .allToAll(
                            Elements.of(tensor(DType.U8, 4)),
                            sends,
                            Elements.of(tensor(DType.U8, r == 3 ? 5 : 4)),
                            receives,
                            Options.named("x"));
        });
        job.run(LIMIT);
        job.assertAllFail(
                INVALID_ARGUMENT, "all-to-all 'x' of group world: rank 1 sends 1 elements to rank 3, which expects 2");
    }

    @Test
    void aRankThatCallsNothingIsNamed() {
        for (int r = 0; r < 3; r++) job.begin(r, g -> sum(g, "a", DType.F32, 4));
        job.run(LIMIT);
        for (int r = 0; r < 3; r++) {
            OxbowException e = job.errors().get(r);
            assertEquals(DEADLINE_EXCEEDED, e.code());
            assertEquals(
                    "all-reduce 'a' of group world: rank 3 has not called it within 30 s; it has called nothing",
                    e.getMessage());
            assertEquals(3, e.rank());
        }
    }

    @Test
    void aRankThatCallsSomethingElseIsNamedWithWhatItDoes() {
        beginEach(r -> sum(job.world(r), r == 2 ? "b" : "a", DType.F32, LARGE));
        job.run(LIMIT);
        List<OxbowException> errors = job.errors();
        String text = "all-reduce 'a' of group world: rank 2 has not called it within 30 s; it waits in all-reduce 'b'";
        for (int r : new int[] {0, 1, 3}) assertEquals(text, errors.get(r).getMessage());
        assertEquals(
                "all-reduce 'b' of group world: the group failed: " + text,
                errors.get(2).getMessage());
        for (OxbowException e : errors) assertEquals(2, e.rank());
    }

    @Test
    void theFewAreNamedThoughTheirTimeWasOverFirst() {
        Options hasty = Options.named("b").withDeadline(Duration.ofSeconds(20));
        beginEach(r -> r == 2
                ? job.world(r).allReduce(tensor(DType.F32, LARGE), Reduction.SUM, hasty)
                : sum(job.world(r), "a", DType.F32, LARGE));
        job.run(LIMIT);
        List<OxbowException> errors = job.errors();
        String text = "all-reduce 'a' of group world: rank 2 has not called it within 20 s; it waits in all-reduce 'b'";
        for (int r : new int[] {0, 1, 3}) assertEquals(text, errors.get(r).getMessage());
        assertEquals(
                "all-reduce 'b' of group world: the group failed: " + text,
                errors.get(2).getMessage());
    }

    @Test
    void onlyThePeerOfAMessageIsNamedWhenItDoesNotCall() {
        job.begin(0, g -> g.receive(Elements.of(tensor(DType.F32, 4)), 3, Options.named("m")));
        job.run(LIMIT);
        assertTrue(
                job.errors()
                        .get(0)
                        .getMessage()
                        .endsWith("rank 3 has not called it within 30 s; it has called nothing"),
                job.errors().get(0).getMessage());
    }

    @Test
    void aStoppedRankIsNamed() {
        job.simulation.pause(1);
        for (int r : new int[] {0, 2, 3}) job.begin(r, g -> sum(g, "x", DType.F32, LARGE));
        job.begin(1, g -> sum(g, "x", DType.F32, LARGE));
        job.simulation.after(Duration.ofSeconds(20), () -> job.simulation.resume(1));
        job.run(LIMIT);
        for (int r : new int[] {0, 2, 3}) {
            String text = job.errors().get(r).getMessage();
            assertTrue(
                    text.startsWith("all-reduce 'x' of group world: rank 1 is lost: gave no sign of life for 5."),
                    text);
        }
        assertEquals(UNAVAILABLE, job.errors().get(1).code());
    }

    @Test
    void aCutLinkIsNamedByBothEnds() {
        job.beginAll(g -> sum(g, "x", DType.F32, LARGE));
        job.simulation.isolate(3);
        job.run(LIMIT);
        for (int r = 0; r < 3; r++)
            assertTrue(job.errors().get(r).getMessage().startsWith("all-reduce 'x' of group world: rank 3 is lost: "));
        assertTrue(
                job.errors().get(3).getMessage().contains(" lost: "),
                job.errors().get(3).getMessage());
    }

    @Test
    void aNameThatIsStillRunningCanNotBeUsedAgain() {
        job.begin(1, g -> sum(g, "x", DType.F32, 4));
        beginEach(r -> sum(job.world(r), "x", DType.F32, 4));
        job.run(LIMIT);
        for (OxbowException e : job.errors()) {
            String text = "all-reduce 'x' of group world: rank 1 called it again while it was still running";
            assertTrue(e.getMessage().endsWith(text), e.getMessage());
        }
        assertEquals(ALREADY_EXISTS, job.errors().getFirst().code());
    }

    @Test
    void aCancelledCallEndsOnAllRanks() {
        for (int r = 1; r < 4; r++) job.begin(r, g -> sum(g, "x", DType.F32, LARGE));
        job.simulation.after(
                Duration.ofSeconds(1),
                () -> job.begin(0, g -> {
                    Pending p = sum(g, "x", DType.F32, LARGE);
                    p.cancel("enough");
                    return p;
                }));
        job.run(LIMIT);
        for (OxbowException e : job.errors()) {
            assertEquals(CANCELLED, e.code());
            assertEquals("all-reduce 'x' of group world: rank 0 cancelled it: enough", e.getMessage());
        }
    }

    @Test
    void closingFailsTheCallsOfOthers() {
        beginEach(r -> sum(job.world(r), "x", DType.F32, r == 2 ? LARGE : LARGE));
        job.simulation.after(Duration.ofNanos(100_000), () -> job.rank(2).close());
        job.run(LIMIT);
        job.assertAllFail(CANCELLED, "all-reduce 'x' of group world: rank 2 closed its communicator");
    }

    @Test
    void aFailedGroupSaysSoAndTheSurvivorsGoOnInANewOne() {
        job.crash(1);
        job.beginAll(g -> sum(g, "x", DType.F32, LARGE));
        job.run(LIMIT);
        String first = job.errors().getFirst().getMessage();
        int[] left = {0, 2, 3};
        for (int r : left) job.begin(r, Group::formed);
        for (int r : left) job.begin(r, g -> sum(g, "y", DType.F32, 4));
        job.run(LIMIT);
        job.assertAllFail(FAILED_PRECONDITION, "group world can not be used any more: " + first);

        PendingGroup[] formed = new PendingGroup[4];
        for (int r : left) job.begin(r, g -> formed[g.rank()] = g.reform(Duration.ofSeconds(10)));
        job.run(LIMIT);
        for (int r : left) assertNull(formed[r].error());
        Tensor[] sums = new Tensor[4];
        for (int r : left) {
            Group g = formed[r].group();
            assertEquals(3, g.size());
            assertEquals(3, g.jobRank(2));
            sums[r] = Tensor.of(Shape.of(2), r, 1f);
            tensors.add(sums[r]);
            job.begin(r, _ -> g.allReduce(sums[r]));
        }
        job.run(LIMIT);
        for (int r : left) assertArrayEquals(new float[] {5, 3}, sums[r].floats());
    }

    @Test
    void subgroupsWorkAndFailOnTheirOwn() {
        Tensor[] sums = new Tensor[4];
        Group[] pairs = new Group[4];
        for (int r = 0; r < 4; r++) {
            Group even = job.world(r).subgroup(2, 0), odd = job.world(r).subgroup(1, 3);
            pairs[r] = r % 2 == 0 ? even : odd;
            assertEquals(-1, (r % 2 == 0 ? odd : even).rank());
            sums[r] = Tensor.of(Shape.of(1), (float) r);
            tensors.add(sums[r]);
        }
        beginEach(r -> pairs[r].allReduce(sums[r]));
        job.run(LIMIT);
        for (int r = 0; r < 4; r++) assertArrayEquals(new float[] {r % 2 == 0 ? 2 : 4}, sums[r].floats());
        job.crash(0);
        beginEach(r -> pairs[r].allReduce(sums[r]));
        job.run(LIMIT);
        assertNull(job.errors().get(0));
        assertTrue(job.errors().get(1).getMessage().startsWith("all-reduce#1 of group [2, 0]: rank 0 is lost: "));
        assertNull(job.errors().get(2));
    }

    @Test
    void aSubgroupThatRanksSeeDifferentlyIsNamed() {
        beginEach(r -> job.world(r).subgroup(0, r == 3 ? 2 : 1).formed());
        job.run(LIMIT);
        job.assertAllFail(
                INVALID_ARGUMENT,
                "subgroup#0 of group world: rank 3 called subgroup#0 with counts [0, 2], ranks 0, 1, 2 with counts [0, 1]");
    }

    @Test
    void aStallIsReportedBeforeTheDeadline() {
        List<String> reports = new ArrayList<>();
        CommunicatorConfig config = SimulatedJob.CONFIG.withStalls(Duration.ofSeconds(2), reports::add);
        try (SimulatedJob four = new SimulatedJob(2, 4, Conditions.GOOD, config)) {
            for (int r = 0; r < 4; r++) if (r != 1) four.begin(r, g -> sum(g, "x", DType.F32, LARGE));
            four.simulation.after(Duration.ofSeconds(5), () -> four.begin(1, g -> sum(g, "x", DType.F32, LARGE)));
            four.run(LIMIT);
            four.errors().forEach(e -> assertNull(e));
        }
        assertEquals(3, reports.size());
        assertEquals(
                "all-reduce 'x' of group world has been waiting for 2 s: rank 0 waits for rank 2, rank 1 has not called it,"
                        + " rank 2 waits for rank 1, rank 3 waits for rank 1",
                reports.getFirst());
    }
}
