package dev.oxbow.parallel.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.parallel.ops.Gate.Outcome;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Pushes of many workers at a gate, by a network that repeats, delays and reorders them. */
final class GateTest {
    private static final long[] NONE = {};

    /** Workers that push a number for each step, as soon as they may, over such a network; every event is drawn by a seed. */
    private static final class Network {
        final Random random;
        final Gate gate = new Gate("test");
        final List<Runnable> events = new ArrayList<>();
        final List<List<Long>> updates = new ArrayList<>();
        final Map<Outcome, Integer> outcomes = new HashMap<>();

        Network(long seed) {
            random = new Random(seed);
        }

        /** A push comes once, or up to three times, each at any time from now on. */
        void send(long worker, long step, int quorum) {
            int copies = 1 + random.nextInt(3);
            for (int i = 0; i < copies; i++)
                events.add(() -> gate.push(
                        new Gate.Push(
                                worker, step, quorum, "f", List.of(Tensor.scalar(worker * 1000 + step)), this::update),
                        NONE,
                        (outcome, error) -> {
                            assertNull(error);
                            outcomes.merge(outcome, 1, Integer::sum);
                        }));
        }

        /** An update ends later than it begins. */
        void update(List<Tensor> values, BiConsumer<List<Tensor>, Throwable> then) {
            List<Long> all = values.stream().map(t -> t.getLong(0)).toList();
            events.add(() -> {
                updates.add(all);
                then.accept(List.of(), null);
            });
        }

        /** Lets a worker take so many steps, each when the version of the one before is there. */
        void work(long worker, long step, int steps, int quorum) {
            if (step == steps) return;
            gate.await(step, 0, (version, error) -> {
                assertNull(error);
                events.add(() -> {
                    send(worker, step, quorum);
                    work(worker, step + 1, steps, quorum);
                });
            });
        }

        void run() {
            while (!events.isEmpty())
                events.remove(random.nextInt(events.size())).run();
        }
    }

    @Test
    void everyUpdateHasEachWorkersGradientOfItsStepOnce() {
        for (long seed = 0; seed < 1000; seed++) {
            Network n = new Network(seed);
            int workers = 1 + (int) (seed % 4), steps = 6;
            for (int w = 0; w < workers; w++) n.work(w, 0, steps, workers);
            n.run();
            assertEquals(steps, n.gate.counts().version(), "seed " + seed);
            for (int s = 0; s < steps; s++) {
                List<Long> wanted = new ArrayList<>();
                for (long w = 0; w < workers; w++) wanted.add(w * 1000 + s);
                assertEquals(wanted, n.updates.get(s), "seed " + seed);
            }
            assertEquals((long) workers * steps, n.gate.counts().taken(), "seed " + seed);
        }
    }

    @Test
    void withBackupsEveryUpdateHasSoManyGradientsOfItsOwnStepAndTheRestIsDroppedAndCounted() {
        for (long seed = 0; seed < 1000; seed++) {
            Network n = new Network(seed);
            int workers = 3 + (int) (seed % 3), quorum = workers - 1 - (int) (seed % 2), steps = 6;
            for (int w = 0; w < workers; w++) n.work(w, 0, steps, quorum);
            n.run();
            assertEquals(steps, n.gate.counts().version(), "seed " + seed);
            for (int s = 0; s < steps; s++) {
                Set<Long> of = new HashSet<>();
                for (long value : n.updates.get(s)) {
                    assertEquals(s, value % 1000, "seed " + seed);
                    of.add(value / 1000);
                }
                assertEquals(quorum, of.size(), "seed " + seed);
            }
            Gate.Counts c = n.gate.counts();
            assertEquals((long) quorum * steps, c.taken(), "seed " + seed);
            assertEquals((long) (workers - quorum) * steps, c.late(), "seed " + seed);
        }
    }

    @Test
    void pushesThatAreUpdatesByThemselvesCountOnceInWhateverOrder() {
        for (long seed = 0; seed < 1000; seed++) {
            Network n = new Network(seed);
            int workers = 1 + (int) (seed % 4), steps = 8;
            for (int w = 0; w < workers; w++) for (int s = 0; s < steps; s++) n.send(w, s, 0);
            n.run();
            assertEquals((long) workers * steps, n.gate.counts().version(), "seed " + seed);
            assertEquals(
                    workers * steps,
                    new HashSet<>(n.updates.stream().map(List::getFirst).toList()).size(),
                    "seed " + seed);
            for (int w = 0; w < workers; w++) assertEquals(steps, n.gate.missing(w));
        }
    }

    private static Gate.Push push(long worker, long step, int quorum, String kind, Gate.Update update) {
        return new Gate.Push(worker, step, quorum, kind, List.of(), update);
    }

    private static final Gate.Update AT_ONCE = (values, then) -> then.accept(List.of(), null);

    @Test
    void aWorkerIsNotMoreThanSoManyStepsAheadOfTheSlowest() {
        Gate g = new Gate("test");
        List<String> passed = new ArrayList<>();
        g.await(0, 2, (v, e) -> passed.add("start"));
        g.push(push(0, 0, 0, "f", AT_ONCE), NONE, (o, e) -> {});
        g.await(1, 2, (v, e) -> passed.add("both have done one"));
        assertEquals(List.of("start"), passed);
        g.push(push(0, 1, 0, "f", AT_ONCE), NONE, (o, e) -> {});
        assertEquals(List.of("start"), passed);
        g.push(push(1, 0, 0, "f", AT_ONCE), NONE, (o, e) -> {});
        assertEquals(List.of("start", "both have done one"), passed);
    }

    @Test
    void gradientsOfNoOneVersionAreDropped() {
        Gate g = new Gate("test");
        List<Outcome> outcomes = new ArrayList<>();
        g.push(push(0, 0, 1, "f", AT_ONCE), new long[] {0, 1}, (o, e) -> outcomes.add(o));
        g.push(push(0, 0, 1, "f", AT_ONCE), new long[] {0, 0}, (o, e) -> outcomes.add(o));
        assertEquals(List.of(Outcome.MIXED, Outcome.TAKEN), outcomes);
        assertEquals(new Gate.Counts(1, 1, 0, 0, 1), g.counts());
    }

    @Test
    void workersThatRunDifferentThingsAreToldWhat() {
        Gate g = new Gate("training");
        List<Throwable> errors = new ArrayList<>();
        g.push(push(0, 0, 2, "update_a", AT_ONCE), NONE, (o, e) -> errors.add(e));
        g.push(push(1, 0, 2, "update_b", AT_ONCE), NONE, (o, e) -> errors.add(e));
        assertNull(errors.getFirst());
        assertEquals(ErrorCode.FAILED_PRECONDITION, ((OxbowException) errors.get(1)).code());
        assertTrue(
                errors.get(1).getMessage().contains("worker 1 pushes update_b for step 0, others have pushed update_a"),
                errors.get(1).getMessage());
    }

    @Test
    void anUpdateThatFailsIsToldToEverybodyFromThenOn() {
        Gate g = new Gate("training");
        List<Throwable> errors = new ArrayList<>();
        List<Boolean> waited = new ArrayList<>();
        g.await(1, 0, (v, e) -> errors.add(e));
        g.push(
                push(
                        0,
                        0,
                        1,
                        "f",
                        (values, then) -> then.accept(null, new OxbowException(ErrorCode.INTERNAL, "no room"))),
                NONE,
                (o, e) -> waited.add(e == null));
        g.push(push(0, 1, 1, "f", AT_ONCE), NONE, (o, e) -> errors.add(e));
        g.await(0, 0, (v, e) -> errors.add(e));
        assertEquals(3, errors.size());
        for (Throwable e : errors) {
            assertEquals(ErrorCode.ABORTED, ((OxbowException) e).code());
            assertTrue(e.getMessage().contains("may have been done in part"), e.getMessage());
        }
        assertFalse(waited.isEmpty());
        assertEquals(0, g.counts().version());
    }

    /** Two gates to which workers push the same runs; some die at any point of a run, and come again. */
    @Test
    void aRunCountsAtAllGatesOrAtNoneWhereverItsWorkerDies() {
        for (long seed = 0; seed < 1000; seed++) {
            Random random = new Random(seed);
            int workers = 1 + (int) (seed % 3), steps = 5;
            List<Network> two = List.of(new Network(seed), new Network(seed + 1));
            while (two.getFirst().gate.counts().version() < steps) {
                int w = random.nextInt(workers);
                settle(two, w);
                long step = two.getFirst().gate.missing(w), attempt = random.nextInt(1000);
                assertEquals(step, two.get(1).gate.missing(w), "seed " + seed);
                if (step == steps || step > two.getFirst().gate.counts().version()) continue;
                int dies = random.nextInt(8); // after so many of the four things that a run does
                for (int i = 0; i < 4 && i < dies; i++) {
                    Network n = two.get(i % 2);
                    Gate.Push p = new Gate.Push(
                            w, step, workers, "f", List.of(Tensor.scalar(w + 10 * step + 100 * attempt)), n::update);
                    if (i < 2) n.gate.hold(p, 2 * step, NONE, (_, e) -> assertNull(e));
                    else n.gate.commit(w, 2 * step, (_, e) -> assertNull(e));
                    if (i >= 2) p.values().forEach(Tensor::release);
                    if (random.nextBoolean()) n.gate.commit(w, 2 * step - 2, (_, e) -> assertNull(e)); // comes late
                }
                two.forEach(Network::run);
            }
            for (int w = 0; w < workers; w++) settle(two, w);
            assertEquals(two.get(0).updates, two.get(1).updates, "seed " + seed);
            for (int s = 0; s < steps; s++)
                for (int w = 0; w < workers; w++)
                    assertEquals(w + 10L * s, two.getFirst().updates.get(s).get(w) % 100, "seed " + seed);
        }
    }

    /** What a worker does that comes again. */
    private static void settle(List<Network> gates, long worker) {
        for (Network n : gates) {
            long held = n.gate.state(worker)[GateState.HELD];
            if (held >= 0 && gates.stream().anyMatch(g -> g.gate.state(worker)[GateState.COMMITTED] == held))
                n.gate.commit(worker, held, (_, e) -> assertNull(e));
            n.run();
        }
    }

    private static Gate.Push push(long worker, long step) {
        return new Gate.Push(worker, step, 0, "f", List.of(), (_, then) -> then.accept(List.of(), null));
    }

    private static void pushes(Gate g, long worker, long... steps) {
        for (long s : steps) g.push(push(worker, s), NONE, (_, error) -> assertNull(error));
    }

    @Test
    void whoWaitsForTheSlowestDoesNotWaitForAWorkerThatIsGone() {
        Gate g = new Gate("test");
        for (int w = 0; w < 3; w++) g.join(w, w, 0);
        List<Long> let = new ArrayList<>();
        pushes(g, 0, 0, 1, 2);
        pushes(g, 1, 0);
        g.await(2, 1, (version, _) -> let.add(version));
        pushes(g, 1, 1);
        assertEquals(List.of(), let); // worker 2 has pushed nothing
        g.leave(2, 2);
        assertEquals(List.of(5L), let);
    }

    @Test
    void whoComesInThePlaceOfALostWorkerBeginsWhereTheSlowestIsAndIsWaitedFor() {
        Gate g = new Gate("test");
        g.join(0, 0, 0);
        g.join(1, 1, 0);
        pushes(g, 0, 0, 1, 2);
        pushes(g, 1, 0, 1);
        g.leave(1, 1);
        pushes(g, 0, 3, 4);
        g.join(1, 7, 0);
        assertEquals(5, g.missing(1)); // as far as worker 0, which is the slowest of those that were there
        g.leave(1, 1); // somebody hears late that the first life is over
        List<Long> let = new ArrayList<>();
        g.await(6, 1, (version, _) -> let.add(version));
        pushes(g, 0, 5);
        assertEquals(List.of(), let);
        pushes(g, 1, 5);
        assertEquals(List.of(9L), let);
    }

    @Test
    void whoComesMayBeginLaterThanTheSlowest() {
        Gate g = new Gate("test");
        g.join(0, 0, 0);
        pushes(g, 0, 0, 1);
        g.join(1, 1, 0);
        assertEquals(2, g.missing(1));
        g.join(1, 1, 4); // as far as it is at another gate
        assertEquals(4, g.missing(1));
        g.join(1, 1, 1);
        assertEquals(4, g.missing(1));
    }

    @Test
    void thoseAreMissingForWhomOthersWait() {
        Gate g = new Gate("test");
        Set<Long> missing = new TreeSet<>();
        g.addMissing(3, -1, missing);
        assertEquals(Set.of(), missing);
        g.push(push(1, 0, 3, "f", AT_ONCE), NONE, (_, error) -> assertNull(error));
        g.addMissing(3, -1, missing);
        assertEquals(Set.of(0L, 2L), missing);
        Gate stale = new Gate("test");
        pushes(stale, 0, 0, 1);
        pushes(stale, 1, 0);
        missing.clear();
        stale.addMissing(3, 2, missing);
        assertEquals(Set.of(), missing); // nobody is too far ahead
        stale.addMissing(3, 1, missing);
        assertEquals(Set.of(2L), missing);
        pushes(stale, 0, 2);
        stale.addMissing(3, 1, missing);
        assertEquals(Set.of(1L, 2L), missing);
        missing.clear();
        stale.leave(1, 0);
        stale.addMissing(1, 1, missing);
        assertEquals(Set.of(), missing);
    }

    @Test
    void aGateInThePlaceOfALostOneIsKnownByItsNumber() {
        assertFalse(new Gate("a").state(0)[GateState.LIFE] == new Gate("a").state(0)[GateState.LIFE]);
    }

    @Test
    void aGateThatTakesOverWhatAnotherHasCountedDropsWhatThatHadTaken() {
        Gate first = new Gate("test"), second = new Gate("test");
        pushes(first, 0, 0, 1, 2);
        pushes(first, 3, 0);
        second.join(0, 0, 0);
        second.imported(first.exported());
        pushes(second, 0, 2, 3);
        pushes(second, 3, 0);
        assertEquals(new Gate.Counts(5, 5, 2, 0, 0), second.counts());
        second.imported(new long[] {100, 100}); // it has taken some itself
        assertEquals(5, second.counts().version());
    }

    @Test
    void aGateThatTakesOverWaitsForNobodyWhoHasLeft() {
        Gate first = new Gate("test"), second = new Gate("test");
        first.join(0, 0, 0);
        first.join(1, 4, 0);
        pushes(first, 0, 0, 1);
        first.leave(1, 4);
        second.imported(first.exported());
        List<Long> let = new ArrayList<>();
        second.await(2, 1, (version, _) -> let.add(version));
        assertEquals(List.of(2L), let, "worker 1 has left");
        second.join(1, 5, 0);
        second.leave(1, 4); // that one is of the past
        pushes(second, 0, 2);
        second.await(3, 1, (version, _) -> let.add(version));
        assertEquals(List.of(2L), let, "worker 1 is there again");
        pushes(second, 1, 2);
        assertEquals(List.of(2L, 4L), let);
    }

    @Test
    void whoHasComeToAGateStaysThoughItWasNotThereWhereTheStateComesFrom() {
        Gate first = new Gate("test"), second = new Gate("test");
        first.join(0, 0, 0);
        first.join(1, 4, 0);
        pushes(first, 0, 0);
        first.leave(1, 4); // it rests
        second.join(1, 4, 0); // and takes part again
        second.imported(first.exported());
        List<Long> let = new ArrayList<>();
        second.await(1, 1, (version, _) -> let.add(version));
        assertEquals(List.of(), let, "worker 1 is there");
    }

    @Test
    void whoWaitsIsTheFirstToKnowOfAWorkerThatComesAndOfAStateThatIsTakenOver() {
        Gate first = new Gate("test"), second = new Gate("test");
        List<Long> let = new ArrayList<>();
        first.join(0, 0, 0);
        pushes(first, 0, 0, 1);
        first.await(1, 2, (version, _) -> let.add(version));
        assertEquals(List.of(), let); // the second worker is not there
        first.join(1, 1, 0); // and begins where the first is
        assertEquals(List.of(2L), let);
        second.await(2, 0, (version, _) -> let.add(version));
        second.imported(first.exported());
        assertEquals(List.of(2L, 2L), let);
    }
}
