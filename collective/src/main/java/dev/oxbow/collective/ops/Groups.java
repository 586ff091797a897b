package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Group;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Progress;
import dev.oxbow.graph.Turns;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * The groups that the collectives of a session run in, by name; the empty name is the world. A session gets it by
 * {@code SessionOptions.withService(Groups.class, groups)}. Steps that make the same calls run one after the other; a step
 * that fails on one rank fails on all, and the next one goes on in new groups of the same ranks. Thread-safe.
 */
public final class Groups implements Progress, Turns {
    private final Map<String, Group> groups = new ConcurrentHashMap<>();
    private final Map<String, Views> views = new ConcurrentHashMap<>();
    private final Turnstile turnstile = new Turnstile(this);
    private final Communicator communicator;

    private Groups(Communicator communicator) {
        this.communicator = communicator;
    }

    /** Only the world of a communicator. */
    public static Groups of(Communicator communicator) {
        return new Groups(communicator).with("", communicator.world());
    }

    /** Adds a group, or puts it in the place of another one, whose programs are dropped if its ranks were others. */
    public Groups with(String name, Group group) {
        groups.put(name, group);
        turnstile.advance();
        return this;
    }

    @Override
    public Turn turn(List<Node> nodes) {
        return new GroupTurn(this, turnstile, nodes);
    }

    @Override
    public void work(BooleanSupplier until, long nanos) {
        communicator.work(until, nanos);
    }

    @Override
    public void wakeUp() {
        communicator.wakeUp();
    }

    /** The group that a running step uses under a name. */
    Group named(String name, long step) {
        Group g = turnstile.group(step, name);
        return g != null ? g : named(name);
    }

    /** The group of a name, or null. */
    Group find(String name) {
        return groups.get(name);
    }

    /** The ranks of the job in a group, or null when there is none of this name. */
    List<Integer> members(String name) {
        Group g = groups.get(name);
        return g == null
                ? null
                : IntStream.range(0, g.size()).mapToObj(g::jobRank).toList();
    }

    void replace(String name, Group old, Group by) {
        groups.replace(name, old, by);
    }

    Duration deadline() {
        return communicator.config().deadline();
    }

    /** The key that a running step was given, or null. */
    String key(long step) {
        return turnstile.key(step);
    }

    Group named(String name) {
        Group g = groups.get(name);
        require(
                g != null,
                FAILED_PRECONDITION,
                "the session has no group '%s', only %s: add it with Groups.with",
                name,
                groups.keySet());
        return g;
    }

    /** Keeps what a {@link ViewAll} of this name sees, for the end of it. */
    void keep(String group, String name, Views all) {
        views.put(group + " " + name, all);
    }

    Views take(String group, String name) {
        Views all = views.remove(group + " " + name);
        require(all != null, FAILED_PRECONDITION, "no ViewAll '%s' has run in group '%s'", name, group);
        return all;
    }

    /** Drops what was kept, unless its end has taken it or a later step keeps something else there. */
    void forget(String group, String name, Views all) {
        views.remove(group + " " + name, all);
    }

    /** How many views wait for their end. */
    int viewsKept() {
        return views.size();
    }
}
