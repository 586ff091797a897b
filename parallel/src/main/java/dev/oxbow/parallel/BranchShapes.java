package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.graph.pass.Rewriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Lets what one branch hands to another have its shape there, where both are taken together: the branches of a gradient
 * get values from those of the function, which are empty where the other side was taken.
 */
final class BranchShapes implements Rewrite {
    /** How many nodes of a branch are looked at for where it begins. */
    private static final int REACH = 4096;

    @Override
    public String name() {
        return "branch-shapes";
    }

    @Override
    public String purpose() {
        return "know the shapes of what branches hand to others";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        return Rewriter.each(s, (w, n) -> {
            Node merge = n.op() instanceof Switch ? source(n.input(0)).node() : null;
            if (merge == null || !Frames.isMerge(merge.op()) || Frames.isLoopMerge(merge)) {
                w.copy(n);
                return;
            }
            Edge by = source(n.input(1));
            List<TensorType> outputs = new ArrayList<>(n.outputs());
            for (Edge option : merge.inputs()) {
                int side = side(option.node(), by);
                boolean tells = side >= 0 && option.type().shape().isFullyKnown();
                if (tells)
                    outputs.set(side, outputs.get(side).withShape(option.type().shape()));
            }
            w.copyAs(n, outputs);
        });
    }

    private static Edge source(Edge e) {
        while (e.node().op() instanceof Identity) e = e.node().input(0);
        return e;
    }

    /** The side of the branches by a predicate that a node is on; -1 where none is found. */
    private static int side(Node n, Edge by) {
        Deque<Node> work = new ArrayDeque<>(List.of(n));
        Set<Node> seen = new HashSet<>(work);
        while (!work.isEmpty() && seen.size() < REACH) {
            Node at = work.poll();
            for (Edge e : at.inputs()) {
                boolean begins = e.node().op() instanceof Switch
                        && source(e.node().input(1)).equals(by);
                if (begins) return e.port();
                if (seen.add(e.node())) work.add(e.node());
            }
            for (Node c : at.controls()) if (seen.add(c)) work.add(c);
        }
        return -1;
    }
}
