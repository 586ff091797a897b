package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Node;
import java.util.List;

/** An instruction while the scheduler makes it; the fields are those of {@link Instruction}. */
final class Draft {
    final Node node;
    final Instruction.Kind kind;
    final int condition;
    int region;
    int index;
    int[] in;
    boolean[] deref;
    boolean[] constant;
    int[] controlIn;
    int[] out;
    int controlOut = -1;
    int[] notify = {};
    int[] notifyOnce = {};
    int external;
    int[] release = {};
    boolean[] escapes;
    boolean mayBeDead;
    int child = -1;
    int exit = -1;

    Draft(Node node, Instruction.Kind kind, int condition) {
        this.node = node;
        this.kind = kind;
        this.condition = condition;
    }

    static int[] ints(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public String toString() {
        return node.name();
    }
}
