package dev.oxbow.collective.keyed;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.keyed.Meeting.Round;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** The one task of a cluster that all devices go to who look for others. Thread-safe. */
public final class Leader {

    /*
     * A group stays until one comes with another size under its key. A device that comes to life again takes its old place.
     * Rounds of an instance form in the order in which devices come: who comes twice waits for the second one.
     */

    /** Who wants to be in a group, as the leader sees it. */
    public record Joining(int key, int size, Member member, int rank, Duration patience) {}

    /** Who wants to begin a round, as the leader sees it. */
    public record Beginning(
            int group, int size, int instance, String device, String what, boolean source, Duration patience) {}

    private record Instance(int group, int key) {}

    private final BiFunction<Duration, Runnable, Future<?>> after;
    private final Function<Set<String>, String> absent;
    private final LongSupplier numbers;
    private final Map<Integer, Assembly<Joining, KeyedGroup>> forming = new HashMap<>();
    private final Map<Integer, KeyedGroup> groups = new HashMap<>();
    private final Map<Instance, Deque<Assembly<Beginning, Round>>> rounds = new HashMap<>();

    /**
     * @param after does something later
     * @param absent says in words who might still come to a group, given the devices that have
     * @param numbers gives a number that no other round has
     */
    public Leader(
            BiFunction<Duration, Runnable, Future<?>> after,
            Function<Set<String>, String> absent,
            LongSupplier numbers) {
        this.after = after;
        this.absent = absent;
        this.numbers = numbers;
    }

    /** Gives the group of a key once all have come. */
    public void join(Joining j, Cancellation cancellation, BiConsumer<KeyedGroup, OxbowException> then) {
        Runnable next;
        synchronized (this) {
            try {
                require(j.size > 0, INVALID_ARGUMENT, "group %d: its size must be positive, got %d", j.key, j.size);
                KeyedGroup there = known(j);
                next = there != null
                        ? () -> then.accept(there, null)
                        : forming(j)
                                .add(
                                        j.member.device(),
                                        j,
                                        cancellation,
                                        give -> after.apply(j.patience, give),
                                        came -> late(j, came),
                                        then);
            } catch (OxbowException e) {
                next = () -> then.accept(null, e);
            }
        }
        next.run();
    }

    private OxbowException late(Joining j, Set<String> came) {
        return new OxbowException(
                DEADLINE_EXCEEDED,
                "group %d wants %d devices, and after %.1f s only %d have come: %s%s"
                        .formatted(
                                j.key,
                                j.size,
                                j.patience.toMillis() / 1e3,
                                came.size(),
                                new TreeSet<>(came),
                                absent.apply(came)));
    }

    /** The group that a device is in, with its new life if it has one; null where a group must form. */
    private KeyedGroup known(Joining j) {
        KeyedGroup g = groups.get(j.key);
        if (g == null) return null;
        if (g.size() != j.size) {
            groups.remove(j.key);
            return null;
        }
        int rank = g.rankOf(j.member.device());
        require(
                rank >= 0 && (j.rank < 0 || j.rank == rank),
                INVALID_ARGUMENT,
                "group %d is complete, with ranks %s; %s is not one of them%s",
                j.key,
                names(g),
                j.member.device(),
                j.rank < 0 ? "" : " with rank " + j.rank);
        if (g.members().get(rank).equals(j.member)) return g;
        List<Member> members = new ArrayList<>(g.members());
        members.set(rank, j.member);
        KeyedGroup renewed = new KeyedGroup(j.key, List.copyOf(members));
        groups.put(j.key, renewed);
        return renewed;
    }

    private static List<String> names(KeyedGroup g) {
        return g.members().stream().map(Member::device).toList();
    }

    private Assembly<Joining, KeyedGroup> forming(Joining j) {
        Assembly<Joining, KeyedGroup> a = forming.get(j.key);
        if (a == null || a.isEmpty() || a.isComplete())
            forming.put(j.key, a = new Assembly<>(j.size, all -> formed(j.key, all)));
        require(
                a.size() == j.size,
                INVALID_ARGUMENT,
                "group %d: %s wants %d devices, and %s, which came before, %d",
                j.key,
                j.member.device(),
                j.size,
                a.devices(),
                a.size());
        return a;
    }

    /** Ranks as asked for, or in the order of names: of jobs, tasks, then devices by number. */
    private KeyedGroup formed(int key, List<Joining> all) {
        forming.remove(key);
        Member[] ranked = new Member[all.size()];
        List<Joining> others = new ArrayList<>(all);
        others.sort(Comparator.comparing(w -> DeviceOrder.of(w.member.device())));
        for (int i = 0; i < ranked.length; i++) {
            Joining w = others.get(i);
            int rank = w.rank < 0 ? i : w.rank;
            require(
                    rank < ranked.length && ranked[rank] == null,
                    INVALID_ARGUMENT,
                    "group %d of %d devices: rank %d of %s is too large, or another has it",
                    key,
                    ranked.length,
                    rank,
                    w.member.device());
            ranked[rank] = w.member;
        }
        KeyedGroup g = new KeyedGroup(key, List.of(ranked));
        groups.put(key, g);
        return g;
    }

    /** Gives a round of an instance once all of its group have come for it. */
    public void begin(Beginning b, Cancellation cancellation, BiConsumer<Round, OxbowException> then) {
        Runnable next;
        synchronized (this) {
            KeyedGroup g = groups.get(b.group);
            if (g == null || g.size() != b.size || g.rankOf(b.device) < 0) {
                OxbowException changed = new OxbowException(
                        FAILED_PRECONDITION,
                        "group %d has changed since %s came to it: it has %s"
                                .formatted(b.group, b.device, g == null ? "nobody" : names(g)));
                next = () -> then.accept(null, changed);
            } else {
                next = round(new Instance(b.group, b.instance), g, b.device)
                        .add(
                                b.device,
                                b,
                                cancellation,
                                give -> after.apply(b.patience, give),
                                came -> late(b, g, came),
                                then);
            }
        }
        next.run();
    }

    private static OxbowException late(Beginning b, KeyedGroup g, Set<String> came) {
        return new OxbowException(
                DEADLINE_EXCEEDED,
                "group %d, instance %d: after %.1f s these have not come: %s"
                        .formatted(b.group, b.instance, b.patience.toMillis() / 1e3, missing(g, came)));
    }

    private static List<String> missing(KeyedGroup g, Set<String> came) {
        return names(g).stream().filter(d -> !came.contains(d)).toList();
    }

    /** The first round that this device has not come to. */
    private Assembly<Beginning, Round> round(Instance instance, KeyedGroup g, String device) {
        Deque<Assembly<Beginning, Round>> all = rounds.computeIfAbsent(instance, _ -> new ArrayDeque<>());
        all.removeIf(r -> r.isComplete() || r.isEmpty());
        for (Assembly<Beginning, Round> r : all) if (!r.has(device)) return r;
        Assembly<Beginning, Round> r = new Assembly<>(g.size(), wishes -> agreed(instance, g, wishes));
        all.add(r);
        return r;
    }

    private Round agreed(Instance instance, KeyedGroup g, List<Beginning> all) {
        Deque<Assembly<Beginning, Round>> left = rounds.get(instance);
        if (left != null) left.removeIf(Assembly::isComplete);
        if (left != null && left.isEmpty()) rounds.remove(instance);
        Beginning first = all.getFirst();
        int source = -1;
        for (Beginning b : all) {
            require(
                    b.what.equals(first.what),
                    INVALID_ARGUMENT,
                    "group %d, instance %d: %s does %s, and %s does %s",
                    instance.group,
                    instance.key,
                    first.device,
                    first.what,
                    b.device,
                    b.what);
            if (!b.source) continue;
            require(
                    source < 0,
                    INVALID_ARGUMENT,
                    "group %d, instance %d: two devices send: %s and %s",
                    instance.group,
                    instance.key,
                    source < 0 ? "" : g.members().get(source).device(),
                    b.device);
            source = g.rankOf(b.device);
        }
        return new Round(numbers.getAsLong(), source);
    }
}
