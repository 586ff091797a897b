package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.collective.Pending;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Lets steps begin that make calls in groups: one at a time of those that could be taken for one another. */
final class Turnstile {

    /*
     * Ranks match calls by name and count, so two steps of one program may not mix their calls: whole steps are counted,
     * in the order in which each rank begins them. A step with a key has the key in the names of its calls, and waits only
     * for steps with the same one.
     *
     * A step that fails on one rank has made some of its calls and not others, so counts differ: it aborts its groups, which
     * fail on every rank. Each key of each rank hears of that once, by a step that fails: one that runs, or else the next
     * one, which then does not begin. So ranks agree on what comes after, whatever they had seen. The step after that asks
     * for the group in the place of the failed one, which follows from it alone (Group.renewed), and meets the others in a
     * barrier there. Whoever is missing is named by that barrier at its deadline; it finds that group failed in its turn, and
     * goes on to the next until it meets somebody. A rank that is lost can not be waited for: that error stays, until
     * Groups.with gives another group. Groups are renewed when no step uses them, so a step sees one of each.
     */

    private final Groups groups;
    private final Map<Long, Step> steps = new LinkedHashMap<>();
    private final Set<String> renewing = new HashSet<>();
    private final Set<Group> failing = new HashSet<>();
    /** Keys of steps so far, null among them. */
    private final Set<String> keys = new HashSet<>();
    /** By the name of a group that has failed, the keys that have heard of it. */
    private final Map<String, Set<String>> heard = new HashMap<>();

    /** One step, from when it asks until it leaves. */
    private static final class Step {
        final GroupTurn turn;
        final String key;
        final Cancellation cancellation;
        final Consumer<Throwable> then;
        final Map<String, Group> groups = new HashMap<>();
        long registration;
        boolean over;
        boolean running;

        Step(GroupTurn turn, String key, Cancellation cancellation, Consumer<Throwable> then) {
            this.turn = turn;
            this.key = key;
            this.cancellation = cancellation;
            this.then = then;
        }

        /** Lets it begin, or says why it never will. */
        void end(OxbowException error) {
            cancellation.unregister(registration);
            then.accept(error);
        }

        boolean waitsFor(Step earlier) {
            return Objects.equals(key, earlier.key) && turn.meets(earlier.turn);
        }
    }

    Turnstile(Groups groups) {
        this.groups = groups;
    }

    void take(long id, GroupTurn turn, String key, Cancellation cancellation, Consumer<Throwable> then) {
        Step s = new Step(turn, key, cancellation, then);
        s.registration = cancellation.register(why -> withdraw(id, s, why));
        if (s.registration < 0) {
            then.accept(cancellation.reason());
            return;
        }
        synchronized (this) {
            if (!s.over) steps.put(id, s);
        }
        advance();
    }

    private void withdraw(long id, Step s, OxbowException why) {
        synchronized (this) {
            if (s.running || s.over) return;
            s.over = true;
            steps.remove(id);
        }
        String text = "%s, while it waited for its turn to use %s".formatted(why.getMessage(), names(s.turn.groups()));
        s.then.accept(new OxbowException(why.code(), text, why).by(why.rank()));
        advance();
    }

    void leave(long id, Throwable error) {
        synchronized (this) {
            Step s = steps.remove(id);
            if (error != null) {
                s.groups.values().forEach(g -> g.abort(error.getMessage()));
                s.turn.groups().forEach(name -> hears(name, s.key));
            }
            s.groups.values().forEach(g -> g.use(false));
        }
        advance();
    }

    /** The group of this name that a running step uses, or null. */
    synchronized Group group(long step, String name) {
        Step s = steps.get(step);
        return s == null ? null : s.groups.get(name);
    }

    /** The key of a running step, or null. */
    synchronized String key(long step) {
        Step s = steps.get(step);
        return s == null ? null : s.key;
    }

    private boolean hears(String group, String key) {
        return heard.computeIfAbsent(group, _ -> new HashSet<>()).add(key);
    }

    /** Begins every step that may, tells others what has failed, and renews groups that steps wait for. */
    void advance() {
        List<Step> begun = new ArrayList<>();
        Map<Step, OxbowException> refused = new LinkedHashMap<>();
        Map<String, Group> failed = new HashMap<>();
        synchronized (this) {
            for (Step s : List.copyOf(steps.values())) {
                if (s.running || !isNext(s)) continue;
                if (hasGroups(s, failed, refused)) {
                    s.running = true;
                    s.groups.values().forEach(g -> g.use(true));
                    keys.add(s.key);
                    begun.add(s);
                } else if (refused.containsKey(s)) {
                    s.over = true;
                    steps.values().remove(s);
                }
            }
            failed.keySet().removeIf(name -> isUsed(name) || !renewing.add(name));
        }
        long until = System.nanoTime() + groups.deadline().toNanos();
        failed.forEach((name, g) -> renew(name, g, g, until));
        begun.forEach(s -> s.end(null));
        refused.forEach(Step::end);
        if (!refused.isEmpty()) advance();
    }

    private boolean isNext(Step s) {
        for (Step earlier : steps.values()) {
            if (earlier == s) return true;
            if (s.waitsFor(earlier)) return false;
        }
        return true;
    }

    /** Whether all groups of a step can be used; else those to be renewed are added, or why the step is refused. */
    private boolean hasGroups(Step s, Map<String, Group> failed, Map<Step, OxbowException> refused) {
        boolean all = true, isKnown = keys.isEmpty() || keys.contains(s.key);
        for (String name : s.turn.groups()) {
            Group g = groups.find(name);
            if (g == null) continue; // the op that wants it says so
            s.groups.put(name, g);
            if (g.isUsable() || g.rank() < 0) continue;
            all = false;
            OxbowException why = g.error();
            if (why == null) {
                if (failing.add(g)) g.whenFailed(() -> failed(g));
            } else if (hears(name, s.key) && isKnown) {
                String text = "%s has failed: %s".formatted(names(Set.of(name)), why.getMessage());
                refused.put(s, new OxbowException(ABORTED, text, why).by(why.rank()));
            } else {
                failed.put(name, g);
            }
        }
        return all;
    }

    private void failed(Group g) {
        synchronized (this) {
            failing.remove(g);
        }
        advance();
    }

    private boolean isUsed(String name) {
        return steps.values().stream()
                .anyMatch(s -> s.running && s.turn.groups().contains(name));
    }

    private void renew(String name, Group first, Group failed, long until) {
        Group next;
        Pending meeting;
        try {
            next = failed.renewed();
            Duration left = Duration.ofNanos(Math.max(1, until - System.nanoTime()));
            meeting = next.barrier(Options.named("renewal").withDeadline(left));
        } catch (OxbowException e) {
            renewed(name, first, failed, e);
            return;
        }
        meeting.whenDone(error -> {
            OxbowException why = next.error();
            boolean again = why != null && (why.code() == DEADLINE_EXCEEDED || why.code() == CANCELLED);
            if (error != null && again && System.nanoTime() < until) renew(name, first, next, until);
            else renewed(name, first, next, error == null || why == null ? error : why);
        });
    }

    private void renewed(String name, Group first, Group last, OxbowException error) {
        List<Step> refused = new ArrayList<>();
        synchronized (this) {
            renewing.remove(name);
            groups.replace(name, first, last);
            if (error == null) {
                heard.remove(name);
            } else {
                for (Step s : steps.values()) if (!s.running && s.turn.groups().contains(name)) refused.add(s);
                steps.values().removeAll(refused);
                for (Step s : refused) {
                    s.over = true;
                    hears(name, s.key);
                }
            }
        }
        for (Step s : refused) {
            String text = "%s has failed, and its ranks do not meet again: %s"
                    .formatted(names(Set.of(name)), error.getMessage());
            s.end(new OxbowException(error.code(), text, error).by(error.rank()));
        }
        advance();
    }

    private static String names(Set<String> groups) {
        return (groups.size() == 1 ? "group '" : "groups '") + String.join("', '", new TreeSet<>(groups)) + "'";
    }
}
