package dev.oxbow.net.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.launch.Generations.Action;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Who trains together when workers come, go, hang and are lost, by a clock of the test. */
final class GenerationsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final ElasticConfig CONFIG = new ElasticConfig(
            2, 4, Duration.ofSeconds(60), Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofSeconds(1), 3, 100);

    private long now = 100 * SECOND;
    private final Map<Integer, Worker> alive = new TreeMap<>();
    private final Set<Worker> silent = new HashSet<>();
    private final List<Action> seen = new ArrayList<>();
    private Generations generations;

    private void open(ElasticConfig config, int slots) {
        generations = new Generations(config, true, now);
        want(slots);
        step();
    }

    private void want(int slots) {
        Map<Integer, String> hosts = new HashMap<>();
        for (int s = 0; s < slots; s++) hosts.put(s, "localhost");
        generations.want(hosts);
    }

    private List<Action> step() {
        List<Action> todo = generations.step(now);
        for (Action a : todo) if (a instanceof Action.Start(Worker w)) alive.put(w.slot(), w);
        seen.addAll(todo);
        return todo;
    }

    private List<Action> after(double seconds) {
        now += (long) (seconds * SECOND);
        alive.values().stream().filter(w -> !silent.contains(w)).forEach(w -> generations.alive(w, now));
        return step();
    }

    private void ready(int slot, int last, long position) {
        generations.ready(alive.get(slot), last, position, now);
    }

    private void lost(int slot) {
        generations.ended(alive.remove(slot), 137, "ended with status 137 (signal 9)", now);
    }

    private static Action.Form formed(List<Action> todo) {
        return todo.stream()
                .filter(a -> a instanceof Action.Form)
                .map(a -> (Action.Form) a)
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing was formed: " + todo));
    }

    private static List<Integer> slots(Action.Form f) {
        return f.members().stream().map(Worker::slot).toList();
    }

    private void first(int count) {
        for (int s = 0; s < count; s++) ready(s, 0, -1);
        assertEquals(count, formed(step()).members().size());
    }

    @Test
    void theFirstGenerationWaitsForAllPlacesButNotForEver() {
        open(CONFIG, 3);
        ready(0, 0, -1);
        ready(1, 0, -1);
        assertEquals(List.of(), after(59));
        assertEquals(List.of(0, 1), slots(formed(after(2))));
    }

    @Test
    void survivorsGoOnAtOnceAndTheFurthestIsTheRoot() {
        open(CONFIG, 4);
        first(4);
        after(1);
        lost(0);
        ready(1, 1, 7);
        ready(2, 1, 8);
        assertEquals(List.of(), step()); // worker 3 has not said yet
        ready(3, 1, 8);
        Action.Form next = formed(step());
        assertEquals(2, next.generation());
        assertEquals(List.of(1, 2, 3), slots(next));
        assertEquals(1, next.root()); // worker 2, the first of those that got furthest
    }

    @Test
    void aLostWorkerIsStartedAgainLaterAndLetInWhenTheGenerationHasLasted() {
        open(CONFIG.withPause(Duration.ofSeconds(5)), 3);
        first(3);
        lost(2);
        ready(0, 1, 3);
        ready(1, 1, 3);
        formed(step());
        assertEquals(List.of(), after(0.5)); // it backs off
        assertEquals(List.of(new Action.Start(new Worker(2, 3, "localhost"))), after(0.6));
        ready(2, 0, -1);
        assertEquals(List.of(), step());
        assertEquals(List.of(new Action.Leave(2, "1 come, 0 go")), after(4));
        ready(0, 2, 9);
        ready(1, 2, 9);
        assertEquals(List.of(0, 1, 2), slots(formed(step())));
    }

    @Test
    void whoDoesNotLeaveABrokenGenerationIsKilledSoThatItCanNotWrite() {
        open(CONFIG, 3);
        first(3);
        ready(0, 1, 5);
        ready(1, 1, 5);
        assertEquals(List.of(), after(14));
        Worker hung = alive.get(2);
        assertEquals(
                List.of(new Action.Kill(hung, "worker 2 on localhost did not leave generation 1 within PT15S")),
                after(1));
        lost(2);
        assertEquals(List.of(0, 1), slots(formed(step())));
    }

    @Test
    void whoGivesNoSignOfLifeIsKilledAlthoughNobodyElseSaysAnything() {
        open(CONFIG, 2);
        first(2);
        silent.addAll(alive.values());
        assertEquals(List.of(), after(14));
        assertEquals(
                List.of(
                        new Action.Kill(alive.get(0), "worker 0 on localhost gave no sign of life for PT15S"),
                        new Action.Kill(alive.get(1), "worker 1 on localhost gave no sign of life for PT15S")),
                after(1));
    }

    @Test
    void tooFewWorkersAreWaitedForAndThenTheJobSaysWhoIsMissing() {
        open(CONFIG.withBackoff(Duration.ofHours(1), 3), 2);
        first(2);
        lost(1);
        ready(0, 1, 5);
        assertEquals(List.of(), after(59));
        assertEquals(
                List.of(new Action.Fail("1 workers are there after PT1M, at least 2 are needed; missing: 1;"
                        + " the last failure: worker 1 on localhost ended with status 137 (signal 9)")),
                after(2));
        assertEquals(List.of(), after(1));
    }

    @Test
    void aPlaceWhoseWorkersFailAgainAndAgainGetsNoMore() {
        open(CONFIG.withTimeout(Duration.ofHours(10)), 3);
        for (int round = 0; round < 3; round++) {
            for (int s = 0; s < 3; s++) lost(s);
            after(100);
        }
        assertTrue(
                seen.getLast() instanceof Action.Fail(String why) && why.startsWith("no place is left"),
                seen.toString());
        assertEquals(9, seen.stream().filter(a -> a instanceof Action.Start).count());
    }

    @Test
    void aJobThatLosesWorkersTooOftenGivesUp() {
        open(CONFIG.withResets(1), 3);
        first(3);
        lost(0);
        ready(1, 1, 1);
        ready(2, 1, 1);
        formed(step());
        after(2);
        ready(0, 0, -1);
        lost(1);
        ready(2, 2, 2);
        assertTrue(step().getLast() instanceof Action.Fail(String why) && why.startsWith("2 generations"), "" + seen);
    }

    @Test
    void placesThatAreTakenAwayAreDismissedBehindAStep() {
        open(CONFIG, 4);
        first(4);
        want(3);
        assertEquals(List.of(new Action.Leave(1, "0 come, 1 go")), after(6));
        for (int s = 0; s < 4; s++) ready(s, 1, 10);
        List<Action> todo = step();
        assertEquals(new Action.Dismiss(alive.get(3)), todo.getFirst());
        assertEquals(List.of(0, 1, 2), slots(formed(todo)));
        generations.ended(alive.remove(3), 0, "", now);
        for (int s = 0; s < 3; s++) generations.ended(alive.remove(s), 0, "", now);
        assertEquals(List.of(new Action.Done()), step());
    }

    @Test
    void whoComesWhenOthersHaveFinishedIsNotNeeded() {
        open(CONFIG, 3);
        ready(0, 0, -1);
        ready(1, 0, -1);
        assertEquals(List.of(0, 1), slots(formed(after(61))));
        assertEquals(List.of(), after(1));
        ready(2, 0, -1);
        for (int s = 0; s < 2; s++) generations.ended(alive.remove(s), 0, "", now);
        assertEquals(List.of(new Action.Dismiss(alive.get(2))), step());
        generations.ended(alive.remove(2), 0, "", now);
        assertEquals(List.of(new Action.Done()), step());
    }

    @Test
    void whoIsLeftWhenOthersHaveFinishedEndsAloneEvenBelowTheMinimum() {
        open(CONFIG, 2);
        first(2);
        generations.ended(alive.remove(0), 0, "", now);
        ready(1, 1, 99); // its last exchange failed
        assertEquals(List.of(1), slots(formed(step())));
        generations.ended(alive.remove(1), 0, "", now);
        assertEquals(List.of(new Action.Done()), step());
    }

    /** A worker as it behaves: it trains, says when its generation is broken or over, and may hang or die at any time. */
    private static final class Simulated {
        int generation;
        long position = -1;
        boolean waits;
        boolean hangs;
    }

    /** Workers that die, hang and finish at random: every job ends, and the root is always the furthest of those that are left. */
    @RepeatedTest(200)
    void everyJobEnds(RepetitionInfo run) {
        String seed = "seed " + run.getCurrentRepetition();
        Random random = new Random(run.getCurrentRepetition());
        generations = new Generations(CONFIG.withResets(1000).withBackoff(Duration.ofSeconds(1), 1000), true, now);
        want(4);
        Map<Worker, Simulated> all = new HashMap<>();
        Set<Integer> ending = new HashSet<>();
        List<Worker> members = new ArrayList<>();
        int faults = 0;
        for (int tick = 0; tick < 5000; tick++) {
            for (Action a : after(0.2)) {
                switch (a) {
                    case Action.Start(Worker w) -> all.put(w, new Simulated());
                    case Action.Form(int g, List<Worker> next, int root) -> {
                        long most = next.stream()
                                .mapToLong(w -> all.get(w).position)
                                .max()
                                .orElseThrow();
                        assertEquals(most, all.get(next.get(root)).position, seed);
                        members = next;
                        for (Worker w : next) {
                            assertTrue(all.get(w).waits, seed);
                            all.get(w).waits = false;
                            all.get(w).generation = g;
                            all.get(w).position = Math.max(0, most);
                        }
                    }
                    case Action.Enter(Worker w) -> throw new AssertionError(seed + ": " + w + " is by itself");
                    case Action.Leave(int g, String _) -> ending.add(g);
                    case Action.Kill(Worker w, String _) -> {
                        assertTrue(all.remove(w).hangs || tick >= 4000, seed);
                        alive.remove(w.slot());
                        generations.ended(w, 137, "ended", now);
                    }
                    case Action.Dismiss(Worker w) -> {
                        assertTrue(tick >= 4000, seed); // others have finished
                        if (all.get(w).hangs) continue;
                        all.remove(w);
                        alive.remove(w.slot());
                        generations.ended(w, 0, "", now);
                    }
                    case Action.Done() -> {
                        assertTrue(all.isEmpty(), seed);
                        return;
                    }
                    case Action.Fail(String why) -> throw new AssertionError(seed + ": " + why);
                }
            }
            if (faults < 8 && tick < 4000 && random.nextInt(20) == 0 && !all.isEmpty()) {
                faults++;
                Worker w = List.copyOf(alive.values()).get(random.nextInt(alive.size()));
                if (random.nextBoolean()) {
                    all.get(w).hangs = true;
                    silent.add(w);
                } else {
                    all.remove(w);
                    alive.remove(w.slot());
                    generations.ended(w, 137, "ended", now);
                }
            }
            int g = generations.generation();
            boolean broken =
                    members.stream().anyMatch(w -> !all.containsKey(w) || all.get(w).hangs || all.get(w).waits);
            for (Worker w : List.copyOf(alive.values())) {
                Simulated own = all.get(w);
                if (own.hangs) continue;
                generations.alive(w, now);
                if (own.waits) continue;
                if (own.generation == 0 || (broken || ending.contains(g)) && random.nextBoolean()) {
                    own.waits = true;
                    generations.ready(w, own.generation, own.position, now);
                } else if (!broken && tick < 4000) {
                    own.position++;
                } else if (!broken) {
                    all.remove(w);
                    alive.remove(w.slot());
                    generations.ended(w, 0, "", now);
                }
            }
        }
        throw new AssertionError(seed + ": has not ended in generation " + generations.generation());
    }

    private void openApart(int slots) {
        generations = new Generations(CONFIG, false, now);
        want(slots);
        step();
    }

    @Test
    void workersThatTrainByThemselvesBeginWhenEnoughAreThereAndDoNotNoticeALoss() {
        openApart(3);
        ready(0, 0, 0);
        assertEquals(List.of(), step());
        ready(1, 0, 0);
        assertEquals(List.of(new Action.Enter(alive.get(0)), new Action.Enter(alive.get(1))), step());
        ready(2, 0, 0);
        assertEquals(List.of(new Action.Enter(alive.get(2))), step());
        after(1);
        lost(1);
        assertEquals(List.of(), step());
        assertEquals(null, generations.broken());
        Worker next = new Worker(1, 3, "localhost");
        assertEquals(List.of(new Action.Start(next)), after(1.1));
        ready(1, 0, 0);
        assertEquals(List.of(new Action.Enter(next)), step());
    }

    @Test
    void aWorkerByItselfThatIsNotWantedIsSentHomeAndOneThatHangsIsKilled() {
        openApart(3);
        for (int s = 0; s < 3; s++) ready(s, 0, 0);
        step();
        want(2);
        assertEquals(List.of(new Action.Dismiss(alive.get(2))), step());
        generations.ended(alive.remove(2), 0, "ended", now);
        silent.add(alive.get(0));
        assertEquals(
                List.of(new Action.Kill(alive.get(0), "worker 0 on localhost gave no sign of life for PT15S")),
                after(15));
    }

    @Test
    void tooFewWorkersByThemselvesEndTheJobWithWhoIsMissing() {
        openApart(2);
        ready(0, 0, 0);
        ready(1, 0, 0);
        step();
        generations.ended(alive.remove(1), 1, "ended with status 1", now);
        generations.want(Map.of(0, "localhost"));
        assertEquals(List.of(), after(59));
        assertEquals(
                List.of(new Action.Fail("1 workers are there after PT1M, at least 2 are needed; missing: ; the last"
                        + " failure: worker 1 on localhost ended with status 1")),
                after(2));
    }

    @Test
    void membersOfABrokenGenerationAreToldAndThoseWhoWaitHearForWhom() {
        open(CONFIG, 3);
        assertEquals("0 workers are there after PT1M, at least 2 are needed; missing: 0, 1, 2", generations.waitsFor());
        first(3);
        assertEquals(null, generations.broken());
        lost(1);
        assertEquals("worker 1 on localhost ended with status 137 (signal 9)", generations.broken());
    }
}
