package dev.oxbow.net.launch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Decides which workers of an elastic job train together, and when; it is told what happens and the time, and does nothing itself. */
final class Generations {

    /*
     * Workers train in generations, each with a fixed set of members. A generation ends when a member is gone or says that it
     * has left, which all others then do, too: a collective that a lost rank takes part in fails everywhere. Members that do not
     * say so in time, or give no sign of life, are held up somewhere and are killed, so that they can not come back and write. As soon as every
     * member is gone or has left, those that are there make up the next generation, if they are enough; nobody waits for
     * processes that are only starting, as those come in later, by a generation that is ended for them. Only the first
     * generation waits for all.
     *
     * The member that has trained furthest is the root of the next one: its state is everybody's. In a synchronous plan members
     * are at most one step apart.
     *
     * Where workers train each by itself there is one generation, which they enter and leave one by one: the loss of one changes
     * nothing for the others.
     */

    /** What is to be done. */
    sealed interface Action {
        /** Start the process of a worker. */
        record Start(Worker worker) implements Action {}

        /** These are the ranks of a generation, in this order; all take the state of the root. */
        record Form(int generation, List<Worker> members, int root) implements Action {}

        /** A worker that trains by itself shall begin. */
        record Enter(Worker worker) implements Action {}

        /** Members shall leave the generation behind the same step. */
        record Leave(int generation, String why) implements Action {}

        /** The process of a worker is to end at once. */
        record Kill(Worker worker, String why) implements Action {}

        /** A worker that has left its generation, or trains by itself, is not needed any more. */
        record Dismiss(Worker worker) implements Action {}

        /** All workers that were needed have ended well. */
        record Done() implements Action {}

        /** The job can not go on. */
        record Fail(String why) implements Action {}
    }

    private enum State {
        STARTING,
        READY,
        RUNNING,
        DISMISSED
    }

    /** A process that was started and has not ended. */
    private static final class Life {
        final Worker worker;
        State state = State.STARTING;
        long since;
        long heard;
        long position = -1;
        boolean killed;

        Life(Worker worker, long now) {
            this.worker = worker;
            this.since = now;
            this.heard = now;
        }

        void become(State next, long now) {
            state = next;
            since = now;
        }
    }

    private final ElasticConfig config;
    private final boolean together;
    private final long start;
    private final Map<Integer, Life> lives = new TreeMap<>();
    private final Map<Integer, String> hosts = new TreeMap<>();
    private final Map<Integer, Long> notBefore = new HashMap<>();
    private final Map<Integer, Integer> failures = new HashMap<>();
    private final List<Worker> members = new ArrayList<>();
    private int started;
    private int generation;
    private int resets;
    private long formedAt;
    private long brokenAt = -1;
    private long tooFewSince;
    private boolean asked;
    private boolean lost;
    private boolean finished;
    private long finishedAt;
    private boolean over;
    private String lastFailure = "";

    /** @param together whether workers take each step together, rather than each by itself */
    Generations(ElasticConfig config, boolean together, long now) {
        this.config = config;
        this.together = together;
        this.start = now;
        this.tooFewSince = now;
    }

    int generation() {
        return generation;
    }

    /** Why members must leave the generation that runs, since one of them is gone or has left it; null where they need not. */
    String broken() {
        if (!together || brokenAt < 0 || !isRunning()) return null;
        return lost ? lastFailure : "a member has left generation " + generation;
    }

    /** Which workers there should be: the host of each slot. */
    void want(Map<Integer, String> slots) {
        hosts.clear();
        slots.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .limit(config.max())
                .forEach(e -> hosts.put(e.getKey(), e.getValue()));
    }

    /** A worker has left generation {@code last}, 0 for none, and waits for a later one; {@code position} tells how far it is. */
    void ready(Worker worker, int last, long position, long now) {
        Life life = life(worker);
        if (life == null || life.state == State.READY || life.state == State.DISMISSED) return;
        if (last < generation && members.contains(worker)) return; // it was told since
        life.become(State.READY, now);
        life.position = position;
        if (members.contains(worker)) breaks(now);
    }

    /** A worker gives a sign of life. */
    void alive(Worker worker, long now) {
        Life life = life(worker);
        if (life != null) life.heard = now;
    }

    /** The process of a worker has ended. */
    void ended(Worker worker, int status, String how, long now) {
        Life life = life(worker);
        if (life == null) return;
        lives.remove(worker.slot());
        if (life.state == State.DISMISSED || finished && !members.contains(worker)) return;
        if (status == 0 && !life.killed) {
            if (!finished) finishedAt = now;
            finished = true;
            members.remove(worker);
            return;
        }
        lastFailure = worker.describe() + " " + how;
        int strikes = failures.merge(worker.slot(), 1, Integer::sum);
        long pause = config.backoff().toNanos() << Math.min(strikes - 1, 6);
        notBefore.put(worker.slot(), now + pause);
        if (!members.remove(worker)) return;
        lost = true;
        if (together) breaks(now);
        else resets++;
    }

    private Life life(Worker worker) {
        Life life = lives.get(worker.slot());
        return life != null && life.worker.equals(worker) ? life : null;
    }

    private void breaks(long now) {
        if (brokenAt < 0) brokenAt = now;
    }

    /** What is to be done now. */
    List<Action> step(long now) {
        List<Action> todo = new ArrayList<>();
        if (over) return todo;
        startMissing(todo, now);
        for (Life l : lives.values()) {
            String why = l.killed ? null : late(l, now);
            l.killed |= why != null;
            if (why != null) todo.add(new Action.Kill(l.worker, why));
            if (l.state != State.READY || isWanted(l.worker) && !(finished && !members.contains(l.worker))) continue;
            l.become(State.DISMISSED, now);
            members.remove(l.worker);
            todo.add(new Action.Dismiss(l.worker));
        }
        if (!together) enter(todo, now);
        else if (isRunning()) ask(todo, now);
        else form(todo, now);
        if (finished && lives.isEmpty()) end(todo, new Action.Done());
        else if (lives.isEmpty() && startable() == 0)
            end(todo, new Action.Fail("no place is left to start workers at; the last failure: " + lastFailure));
        return todo;
    }

    private void end(List<Action> todo, Action last) {
        over = true;
        todo.add(last);
    }

    private boolean isWanted(Worker w) {
        return w.host().equals(hosts.get(w.slot()));
    }

    private boolean isStruck(int slot) {
        return failures.getOrDefault(slot, 0) >= config.strikes();
    }

    private long startable() {
        return hosts.keySet().stream().filter(slot -> !isStruck(slot)).count();
    }

    private void startMissing(List<Action> todo, long now) {
        if (finished) return;
        hosts.forEach((slot, host) -> {
            if (lives.containsKey(slot) || isStruck(slot) || now < notBefore.getOrDefault(slot, start)) return;
            Worker w = new Worker(slot, started++, host);
            lives.put(slot, new Life(w, now));
            todo.add(new Action.Start(w));
        });
    }

    /** Why a process is held up somewhere, or in vain; null where it is not. */
    private String late(Life l, long now) {
        String who = l.worker.describe();
        return switch (l.state) {
            case STARTING ->
                finished
                        ? who + " is not needed any more"
                        : isOver(config.timeout(), l.since, now)
                                ? "%s did not come within %s".formatted(who, config.timeout())
                                : null;
            case RUNNING ->
                brokenAt >= 0 && isOver(config.settle(), brokenAt, now)
                        ? "%s did not leave generation %d within %s".formatted(who, generation, config.settle())
                        : isOver(config.settle(), Math.max(l.heard, l.since), now)
                                ? "%s gave no sign of life for %s".formatted(who, config.settle())
                                : finished && isOver(config.timeout(), finishedAt, now)
                                        ? "%s did not end within %s after others".formatted(who, config.timeout())
                                        : null;
            case DISMISSED ->
                isOver(config.settle(), l.since, now)
                        ? "%s did not end within %s".formatted(who, config.settle())
                        : null;
            case READY -> null;
        };
    }

    private static boolean isOver(Duration time, long since, long now) {
        return now - since >= time.toNanos();
    }

    private boolean isRunning() {
        return members.stream().anyMatch(w -> life(w) != null && life(w).state == State.RUNNING);
    }

    /** Ends a generation that others want to join, or that members are to leave; one that got on is forgiven what was before. */
    private void ask(List<Action> todo, long now) {
        if (brokenAt >= 0 || !isOver(config.pause(), formedAt, now)) return;
        members.forEach(w -> failures.remove(w.slot()));
        if (asked || finished) return;
        List<Worker> leaving = members.stream().filter(w -> !isWanted(w)).toList();
        List<Worker> coming = newcomers();
        if (leaving.isEmpty() && (coming.isEmpty() || members.size() >= config.max())) return;
        asked = true;
        todo.add(new Action.Leave(generation, "%d come, %d go".formatted(coming.size(), leaving.size())));
    }

    private List<Worker> newcomers() {
        return lives.values().stream()
                .filter(l -> l.state == State.READY && !members.contains(l.worker))
                .map(l -> l.worker)
                .toList();
    }

    private void form(List<Action> todo, long now) {
        List<Life> there = lives.values().stream()
                .filter(l -> l.state == State.READY && isWanted(l.worker))
                .toList();
        boolean enough = there.size() >= config.min() || finished && !there.isEmpty();
        if (enough && generation == 0 && there.size() < Math.min(config.max(), startable()))
            enough = isOver(config.timeout(), start, now);
        if (!enough) {
            if (generation > 0 && brokenAt < 0) breaks(now);
            long since = Math.max(tooFewSince, brokenAt);
            if (there.size() < config.min()
                    && !finished
                    && now - since >= config.timeout().toNanos()) end(todo, new Action.Fail(missing(there)));
            return;
        }
        if (lost && ++resets > config.resets()) {
            end(todo, tooMany());
            return;
        }
        generation++;
        members.clear();
        there.forEach(l -> {
            members.add(l.worker);
            l.become(State.RUNNING, now);
        });
        members.sort(Comparator.comparingInt(Worker::slot));
        Life first = there.stream()
                .max(Comparator.<Life>comparingLong(l -> l.position).thenComparing(l -> -l.worker.slot()))
                .orElseThrow();
        formedAt = now;
        tooFewSince = now;
        brokenAt = -1;
        asked = false;
        lost = false;
        todo.add(new Action.Form(generation, List.copyOf(members), members.indexOf(first.worker)));
    }

    private Action.Fail tooMany() {
        return new Action.Fail("%d generations were broken by lost workers, at most %d may be; the last: %s"
                .formatted(resets, config.resets(), lastFailure));
    }

    /** Lets workers begin that train each by itself, and sends those home that are not wanted. */
    private void enter(List<Action> todo, long now) {
        List<Life> there = lives.values().stream()
                .filter(l -> l.state == State.READY || l.state == State.RUNNING)
                .filter(l -> isWanted(l.worker))
                .toList();
        if (there.size() >= config.min() || finished) tooFewSince = now;
        else if (isOver(config.timeout(), tooFewSince, now)) end(todo, new Action.Fail(missing(there)));
        if (resets > config.resets() && !over) end(todo, tooMany());
        if (over || generation == 0 && there.size() < config.min()) return;
        generation = 1;
        for (Life l : List.copyOf(lives.values())) {
            if (l.state == State.READY && isWanted(l.worker)) {
                l.become(State.RUNNING, now);
                members.add(l.worker);
                todo.add(new Action.Enter(l.worker));
            } else if (l.state == State.RUNNING && !isWanted(l.worker)) {
                l.become(State.DISMISSED, now);
                members.remove(l.worker);
                todo.add(new Action.Dismiss(l.worker));
            } else if (l.state == State.RUNNING && isOver(config.pause(), l.since, now))
                failures.remove(l.worker.slot());
        }
    }

    /** Who is missing, in words; empty where nobody is. */
    String waitsFor() {
        List<Life> there = lives.values().stream()
                .filter(l -> l.state != State.STARTING && isWanted(l.worker))
                .toList();
        return there.size() >= config.min() ? "" : missing(there);
    }

    private String missing(List<Life> there) {
        String who = hosts.keySet().stream()
                .filter(slot -> there.stream().noneMatch(l -> l.worker.slot() == slot))
                .map(String::valueOf)
                .collect(Collectors.joining(", "));
        return "%d workers are there after %s, at least %d are needed; missing: %s%s"
                .formatted(
                        there.size(),
                        config.timeout(),
                        config.min(),
                        who,
                        lastFailure.isEmpty() ? "" : "; the last failure: " + lastFailure);
    }
}
