package dev.oxbow.collective.failure;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts off the end of a group that another rank has given up: calls which that rank has ended need nothing of it any more,
 * and end well here too. So a step that has ended well somewhere does not fail elsewhere by what came after it.
 */
public final class Reprieve {
    private final Members group;
    private final int quitter;
    /** The calls under way, and whether the quitter has ended them; null until it has said so. */
    private final Map<Long, Boolean> calls = new HashMap<>();

    private final List<Runnable> end = new ArrayList<>();

    public Reprieve(Members group, int quitter) {
        this.group = group;
        this.quitter = quitter;
    }

    public int quitter() {
        return quitter;
    }

    /** Asks about a call that runs, or begins meanwhile. */
    public void ask(long call) {
        calls.put(call, null);
        group.tell(quitter, new Note.Ask(group.id(), call));
    }

    public void answered(Status status) {
        if (status.rank() == quitter && calls.containsKey(status.key()))
            calls.put(status.key(), status.state() == Status.State.FINISHED);
    }

    public void ended(long call) {
        calls.remove(call);
    }

    /** What is done when it is over. */
    public void add(Runnable work) {
        end.add(work);
    }

    public List<Runnable> end() {
        return end;
    }

    /** Whether only calls are left that can not end, or none; who uses the group may be about to make one that can. */
    public boolean isOver(boolean used) {
        return calls.isEmpty() ? !used : calls.values().stream().allMatch(Boolean.FALSE::equals);
    }
}
