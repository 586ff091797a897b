package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import java.util.HashSet;
import java.util.Set;

/** How often the nodes of a graph are read, and which are needed for themselves: roots, and those that others wait for. */
public final class Readers {
    private final int[] uses;
    private final Set<Node> needed = new HashSet<>();

    public Readers(Subgraph s) {
        uses = new int[s.graph().size()];
        needed.addAll(s.roots());
        for (Node n : s.graph().nodes()) {
            needed.addAll(n.controls());
            for (Edge e : n.inputs()) uses[e.node().id()]++;
        }
    }

    /** Whether so many inputs of other nodes are all that needs {@code n}. */
    public boolean areAll(int count, Node n) {
        return uses[n.id()] == count && !needed.contains(n);
    }

    /** Whether two nodes are to run at the same place. */
    public static boolean areTogether(Node a, Node b) {
        return a.device().equals(b.device()) && a.colocations().equals(b.colocations());
    }
}
