package dev.oxbow.collective.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class LeaderTest {
    private final List<Runnable> deadlines = new ArrayList<>();
    private long next;
    private final Leader leader = new Leader(
            (_, task) -> {
                deadlines.add(task);
                return new CompletableFuture<>();
            },
            came -> "; others: " + (3 - came.size()),
            () -> ++next);

    /** What one got: a group, a round or an error. */
    private static final class Got<T> {
        T value;
        OxbowException error;

        void take(T value, OxbowException error) {
            assertTrue(this.value == null && this.error == null, "told twice");
            this.value = value;
            this.error = error;
        }
    }

    private static String device(int task) {
        return "/job:worker/replica:0/task:%d/device:CPU:0".formatted(task);
    }

    private Got<KeyedGroup> join(int size, int task, long life, int rank, Cancellation c) {
        Got<KeyedGroup> got = new Got<>();
        Member m = new Member(device(task), "CPU", life);
        leader.join(new Leader.Joining(1, size, m, rank, Duration.ofSeconds(1)), c, got::take);
        return got;
    }

    private Got<Meeting.Round> begin(int task, String what, boolean source, Cancellation c) {
        Got<Meeting.Round> got = new Got<>();
        leader.begin(new Leader.Beginning(1, 2, 5, device(task), what, source, Duration.ofSeconds(1)), c, got::take);
        return got;
    }

    @Test
    void ranksFollowNumbersOfTasksWhoeverComesFirst() {
        var ten = join(2, 10, 1, -1, null);
        assertNull(ten.value);
        var two = join(2, 2, 1, -1, null);
        assertEquals(
                List.of(device(2), device(10)),
                two.value.members().stream().map(Member::device).toList());
        assertEquals(two.value, ten.value);
        assertEquals(two.value, join(2, 2, 1, -1, null).value, "who comes again is told at once");
    }

    @Test
    void aNewLifeTakesItsOldPlaceAndAStrangerIsRefused() {
        join(2, 0, 1, -1, null);
        join(2, 1, 1, -1, null);
        assertEquals(7, join(2, 1, 7, -1, null).value.members().get(1).incarnation());
        assertEquals(ErrorCode.INVALID_ARGUMENT, join(2, 2, 1, -1, null).error.code());
        assertNull(join(3, 2, 1, -1, null).value, "another size begins another group");
        join(3, 0, 1, -1, null);
        assertEquals(3, join(3, 1, 7, -1, null).value.size());
    }

    @Test
    void twoThatWantOneRankAreToldSo() {
        var a = join(2, 0, 1, 1, null);
        var b = join(2, 1, 1, 1, null);
        assertEquals(ErrorCode.INVALID_ARGUMENT, a.error.code());
        assertEquals(a.error, b.error);
    }

    @Test
    void whoGivesUpIsNotCountedAndWhoWaitsTooLongIsToldWhoCame() {
        Cancellation c = new Cancellation();
        var gone = join(2, 0, 1, -1, c);
        c.cancel(ErrorCode.CANCELLED, "enough");
        assertEquals(ErrorCode.CANCELLED, gone.error.code());
        var late = join(2, 1, 1, -1, null);
        deadlines.getLast().run();
        assertEquals(
                "group 1 wants 2 devices, and after 1.0 s only 1 have come: [" + device(1) + "]; others: 2",
                late.error.text());
    }

    @Test
    void roundsFormInTheOrderInWhichDevicesCome() {
        join(2, 0, 1, -1, null);
        join(2, 1, 1, -1, null);
        var first = begin(0, "x", true, null);
        var second = begin(0, "x", true, null);
        var other = begin(1, "x", false, null);
        assertEquals(0, first.value.source());
        assertEquals(first.value, other.value);
        assertNull(second.value);
        var later = begin(1, "x", false, null);
        assertEquals(second.value, later.value);
        assertNotEquals(first.value.number(), later.value.number());
    }

    @Test
    void whoIsMissingInARoundIsNamedAndWhoDoesSomethingElse() {
        join(2, 0, 1, -1, null);
        join(2, 1, 1, -1, null);
        var late = begin(1, "x", false, null);
        deadlines.getLast().run();
        assertEquals("group 1, instance 5: after 1.0 s these have not come: [" + device(0) + "]", late.error.text());
        begin(1, "x", false, null);
        assertEquals(
                "group 1, instance 5: %s does x, and %s does y".formatted(device(1), device(0)),
                begin(0, "y", false, null).error.text());
    }

    /** Who comes between the last one and the group that follows from it finds that group. */
    @Test
    void nobodyIsLeftBehindWhenOpsOfOneGroupComeAtTheSameTime() throws Exception {
        int devices = 3, ops = 4;
        for (int key = 100; key < 3_000; key++) {
            int group = key;
            AtomicInteger told = new AtomicInteger();
            CyclicBarrier start = new CyclicBarrier(devices);
            List<Thread> all = new ArrayList<>();
            for (int d = 0; d < devices; d++) {
                Member m = new Member(device(d), "CPU", 1);
                all.add(Thread.startVirtualThread(() -> {
                    try {
                        start.await();
                    } catch (InterruptedException | BrokenBarrierException e) {
                        return;
                    }
                    for (int i = 0; i < ops; i++)
                        leader.join(
                                new Leader.Joining(group, devices, m, -1, Duration.ofSeconds(1)),
                                null,
                                (_, _) -> told.incrementAndGet());
                }));
            }
            for (Thread t : all) t.join();
            assertEquals(devices * ops, told.get(), "told of group " + key);
        }
    }
}
