package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Groups that are closed or have failed leave nothing behind, however many there are. */
final class ClosedGroupsTest {
    private static final Duration LIMIT = Duration.ofHours(1);

    private final long before = MemoryPool.shared().bytesInUse();
    private final List<Tensor> tensors = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        tensors.forEach(Tensor::close);
        long now = MemoryPool.shared().bytesInUse(); // less when a tensor that an earlier test forgot was cleaned up
        assertTrue(now <= before, () -> "%,d bytes became %,d".formatted(before, now));
    }

    private Tensor tensor(float... values) {
        Tensor t = Tensor.of(Shape.of(values.length), values);
        tensors.add(t);
        return t;
    }

    private static List<Group> subgroups(SimulatedJob job, int... ranks) {
        return IntStream.range(0, job.size())
                .mapToObj(r -> job.world(r).subgroup(ranks))
                .toList();
    }

    private static List<Pending> members(SimulatedJob job, List<Group> groups, Function<Group, Pending> call) {
        List<Pending> all = new ArrayList<>();
        for (int r = 0; r < job.size(); r++) {
            Group g = groups.get(r);
            if (g.rank() >= 0) all.add(job.begin(r, _ -> call.apply(g)));
        }
        return all;
    }

    private static void assertFails(String message, Pending p) {
        assertTrue(p.isDone());
        assertEquals(message, p.error() == null ? null : p.error().getMessage());
        assertEquals(FAILED_PRECONDITION, p.error().code());
    }

    @Test
    void aThousandLiveGroupsWorkAndAreGoneWhenClosed() {
        try (SimulatedJob job = new SimulatedJob(1, 3)) {
            List<List<Group>> all = new ArrayList<>();
            for (int i = 0; i < 1000; i++)
                all.add(i % 3 == 0 ? subgroups(job, 0, 1, 2) : subgroups(job, i % 3, (i + 1) % 3));
            for (List<Group> groups : all) members(job, groups, g -> g.allReduce(tensor(1f)));
            job.run(LIMIT);
            job.errors().forEach(e -> assertNull(e));
            for (int i = 0; i < tensors.size(); i++) assertTrue(tensors.get(i).floats()[0] >= 2);
            for (List<Group> groups : all) members(job, groups, Group::close);
            job.run(LIMIT);
            job.errors().forEach(e -> assertNull(e));
            for (int r = 0; r < 3; r++) assertEquals(1, job.rank(r).groups().size());
            job.beginAll(g -> g.allReduce(tensor(2f)));
            job.run(LIMIT);
            assertEquals(6f, tensors.getLast().floats()[0]);
        }
    }

    /** Rank 1 sends for a call that rank 0 never makes; of a thousand groups only this one fails. */
    @Test
    void whatCameForAFailedGroupIsDroppedWhileAThousandOthersLive() {
        try (SimulatedJob job = new SimulatedJob(2, 2)) {
            for (int i = 0; i < 1000; i++) subgroups(job, 0, 1);
            List<Group> failing = subgroups(job, 0, 1);
            Options soon = Options.DEFAULT.withDeadline(Duration.ofSeconds(2));
            job.begin(1, _ -> failing.get(1).allReduce(tensor(1f), Reduction.SUM, Options.named("ahead")));
            Pending late = job.begin(0, _ -> failing.get(0).barrier(soon));
            job.run(LIMIT);
            assertEquals(DEADLINE_EXCEEDED, late.error().code());
            assertEquals(0, job.rank(0).mesh().held(1));
            job.beginAll(g -> g.barrier(Options.DEFAULT));
            job.run(LIMIT);
            job.errors().forEach(e -> assertNull(e));
        }
    }

    @Test
    void closingWaitsForCallsThatAreUnderWay() {
        try (SimulatedJob job = new SimulatedJob(3, 3)) {
            List<Group> groups = subgroups(job, 2, 1, 0);
            List<PendingTensor> gathered = new ArrayList<>();
            List<Pending> closed = new ArrayList<>();
            for (int r = 0; r < 3; r++) {
                Group g = groups.get(r);
                PendingTensor p = g.allGatherRagged(Elements.of(tensor(new float[r * 20_000])), Options.DEFAULT);
                gathered.add(p);
                job.begin(r, _ -> p);
                closed.add(job.begin(r, _ -> g.close()));
            }
            job.run(LIMIT);
            for (int r = 0; r < 3; r++) {
                assertNull(gathered.get(r).error());
                assertArrayEquals(
                        new long[] {40_000, 20_000, 0}, gathered.get(r).counts());
                gathered.get(r).tensor().close();
                assertNull(closed.get(r).error());
                assertEquals(1, job.rank(r).groups().size());
            }
        }
    }

    @Test
    void aClosedGroupSaysSo() {
        try (SimulatedJob job = new SimulatedJob(4, 2)) {
            List<Group> groups = subgroups(job, 0, 1), alone = subgroups(job, 1);
            assertTrue(alone.get(0).close().isDone());
            members(job, groups, Group::close);
            members(job, alone, Group::close);
            job.run(LIMIT);
            job.errors().forEach(e -> assertNull(e));
            Group g = groups.getFirst();
            Pending barrier = job.begin(0, _ -> g.barrier(Options.DEFAULT)), again = job.begin(0, _ -> g.close());
            Pending reform = job.begin(0, _ -> g.reform(Duration.ofSeconds(1)));
            job.run(LIMIT);
            assertFails("group [0, 1] can not be used any more: rank 0 has closed it", barrier);
            assertFails("group [0, 1] can not be used any more: rank 0 has closed it", again);
            assertFails("group [0, 1] can not be reformed: rank 0 has closed it", reform);
            assertEquals("rank 0 has closed it", g.error().getMessage());
            var e = assertThrows(OxbowException.class, () -> job.world(0).close());
            assertEquals("group world: it is closed with its communicator", e.getMessage());
        }
    }

    @Test
    void aMemberThatGoesOnInsteadOfClosingIsNamed() {
        try (SimulatedJob job = new SimulatedJob(5, 3)) {
            List<Group> groups = subgroups(job, 0, 1, 2);
            for (int r = 0; r < 3; r++) {
                Group g = groups.get(r);
                job.begin(r, _ -> g.rank() == 1 ? g.broadcast(tensor(1f), 0, Options.DEFAULT) : g.close());
            }
            job.run(LIMIT);
            for (OxbowException e : job.errors()) {
                assertEquals(INVALID_ARGUMENT, e.code());
                assertTrue(e.getMessage().contains("rank 1 called broadcast"), e.getMessage());
                assertTrue(e.getMessage().contains("ranks 0, 2 called close"), e.getMessage());
            }
        }
    }

    @Test
    void errorFeedbackBelongsToItsGroupAndEndsWithIt() {
        try (SimulatedJob job = new SimulatedJob(6, 2)) {
            long bytes = MemoryPool.shared().bytesInUse();
            Options topK = Options.named("x").withWire(WireFormat.topK(0.01));
            List<Group> first = subgroups(job, 0, 1), second = subgroups(job, 0, 1);
            members(job, first, g -> g.allReduce(tensor(new float[5000]), Reduction.SUM, topK));
            members(job, second, g -> g.allReduce(tensor(new float[7000]), Reduction.SUM, topK));
            members(job, first, Group::close);
            Pending failing = job.begin(0, _ -> second.get(0).barrier(Options.DEFAULT));
            job.begin(1, _ -> second.get(1).close());
            job.run(LIMIT);
            assertEquals(INVALID_ARGUMENT, failing.error().code());
            tensors.forEach(Tensor::close);
            tensors.clear();
            long kept = MemoryPool.shared().bytesInUse() - bytes; // scratch memory of the ranks, and no residuals
            assertTrue(kept < 20_000, () -> kept + " bytes");
        }
    }

    @Test
    void namesAreCountedUpToALimit() {
        Occurrences names = new Occurrences(2);
        assertEquals(0, names.next("a"));
        assertEquals(0, names.next("b"));
        assertEquals(1, names.next("a"));
        assertEquals(-1, names.next("c"));
        assertEquals(2, names.next("a"));
        names.clear();
        assertFalse(names.next("c") < 0);
    }
}
