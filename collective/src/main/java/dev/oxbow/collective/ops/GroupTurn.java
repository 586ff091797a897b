package dev.oxbow.collective.ops;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Turns.Turn;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** What the steps of one program wait for: its calls, and the groups that they are made in. */
final class GroupTurn implements Turn {
    private final Groups groups;
    private final Turnstile turnstile;
    private final Set<String> calls = new HashSet<>();
    /** The members that each group had when the program was made; null for a group that the session has not. */
    private final Map<String, List<Integer>> members = new HashMap<>();

    GroupTurn(Groups groups, Turnstile turnstile, List<Node> nodes) {
        this.groups = groups;
        this.turnstile = turnstile;
        for (Node n : nodes) {
            if (!(n.op() instanceof CollectiveOp op)) continue;
            calls.add(op.group() + " " + op.name(n.name()));
            members.put(op.group(), groups.members(op.group()));
        }
    }

    Set<String> groups() {
        return members.keySet();
    }

    /** Whether programs make calls that could be taken for one another. */
    boolean meets(GroupTurn other) {
        return !Collections.disjoint(calls, other.calls);
    }

    @Override
    public void take(long step, String key, Cancellation cancellation, Consumer<Throwable> then) {
        turnstile.take(step, this, key, cancellation, then);
    }

    @Override
    public void leave(long step, Throwable error) {
        turnstile.leave(step, error);
    }

    @Override
    public boolean isCurrent() {
        for (var e : members.entrySet())
            if (e.getValue() != null && !e.getValue().equals(groups.members(e.getKey()))) return false;
        return true;
    }
}
