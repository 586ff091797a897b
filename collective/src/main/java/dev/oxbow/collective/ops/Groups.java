package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Group;
import dev.oxbow.graph.Progress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * The groups that the collectives of a session run in, by name; the empty name is the world. A session gets it by
 * {@code SessionOptions.withService(Groups.class, groups)}. Thread-safe.
 */
public final class Groups implements Progress {
    private final Map<String, Group> groups = new ConcurrentHashMap<>();

    private final Map<String, Views> views = new ConcurrentHashMap<>();

    private final Communicator communicator;

    private Groups(Communicator communicator) {
        this.communicator = communicator;
    }

    /** Only the world of a communicator. */
    public static Groups of(Communicator communicator) {
        return new Groups(communicator).with("", communicator.world());
    }

    /** Adds a group, or puts it in the place of another one that can not be used any more. */
    public Groups with(String name, Group group) {
        groups.put(name, group);
        return this;
    }

    @Override
    public void work(BooleanSupplier until, long nanos) {
        communicator.work(until, nanos);
    }

    @Override
    public void wakeUp() {
        communicator.wakeUp();
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
        require(all != null, FAILED_PRECONDITION, "ViewAllEnd: no ViewAll '%s' has run in group '%s'", name, group);
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
