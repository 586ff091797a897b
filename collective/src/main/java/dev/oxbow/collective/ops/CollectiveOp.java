package dev.oxbow.collective.ops;

import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Differentiable;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** An op that ranks do together: its effect is elsewhere, it waits for others, and it gives its own outputs. */
interface CollectiveOp extends Differentiable {
    int LONGEST_NAME = 400;

    /** The name of the group, empty for the world. */
    String group();

    /** What ranks match the op by, the node's name when it is empty. */
    String key();

    /** Its deadline, 0 for that of the communicator. */
    int timeoutMs();

    @Override
    default Effects effects() {
        return Effects.WRITES;
    }

    @Override
    default boolean waits() {
        return true;
    }

    @Override
    default boolean suppliesOutputs() {
        return true;
    }

    @Override
    default Class<?> service() {
        return Groups.class;
    }

    default Group group(KernelContext c) {
        return c.service(Groups.class).named(group(), c.stepId());
    }

    /** What ranks match the op by, where it is that of a node of this name. */
    default String name(String node) {
        return key().isEmpty() ? node : key();
    }

    /** Name and deadline of a call; in loops the name says which iteration it is, and with a key, which step. */
    default Options options(KernelContext c) {
        String step = c.service(Groups.class).key(c.stepId());
        String name = (step == null ? "" : step + ": ") + name(c.node());
        if (!c.frameAndIteration().equals("0:0")) name += "@" + c.frameAndIteration();
        if (name.length() > LONGEST_NAME)
            name = name.substring(0, LONGEST_NAME) + "#" + Integer.toHexString(name.hashCode());
        Options o = Options.named(name);
        return timeoutMs() > 0 ? o.withDeadline(Duration.ofMillis(timeoutMs())) : o;
    }

    /** Whether another op, given the same key, could be taken for the one that takes the gradient of this one back. */
    default boolean mayMeetGradient(CollectiveOp other) {
        return other.group().equals(group());
    }

    /** The key of the op that takes the gradient back: none for none, else one that the graph has not yet. */
    default String gradientKey(Graph graph) {
        if (key().isEmpty()) return "";
        Set<String> taken = new HashSet<>();
        for (Node n : graph.nodes()) if (n.op() instanceof CollectiveOp c && mayMeetGradient(c)) taken.add(c.key());
        String wanted = key() + "/gradient", free = wanted;
        for (int i = 1; taken.contains(free); i++) free = wanted + "_" + i;
        return free;
    }
}
