package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.Retval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Puts what is computed of small values for the caller alone, such as the mean of losses, behind all else: kernels of
 * several nodes then need not be cut for its sake.
 */
public final class FetchedLast implements Rewrite {
    private static final long SMALL = 1 << 20;

    @Override
    public String name() {
        return "fetched last";
    }

    @Override
    public String purpose() {
        return "put small results that are only fetched behind all else";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Graph g = s.graph();
        boolean[] last = new boolean[g.size()];
        Arrays.fill(last, true);
        boolean any = false;
        for (Node n : g.nodes().reversed()) {
            if (!(n.op() instanceof Retval) && !isSmall(n)) last[n.id()] = false;
            any |= last[n.id()] && !(n.op() instanceof Retval);
            if (last[n.id()]) continue;
            for (Edge e : n.inputs()) last[e.node().id()] = false;
            for (Node c : n.controls()) last[c.id()] = false;
        }
        if (!any) return s;
        List<Node> order = new ArrayList<>(g.size());
        for (Node n : g.nodes()) if (!last[n.id()]) order.add(n);
        for (Node n : g.nodes()) if (last[n.id()]) order.add(n);
        return Rewriter.each(s, order, Rewriter::copy);
    }

    /** Whether a node is computed of small values, and of some. */
    private static boolean isSmall(Node n) {
        boolean core = n.op() instanceof CoreOp && !(n.op() instanceof Identity);
        if (core || n.op().effects() != Effects.NONE || n.op().waits() || n.inputCount() == 0) return false;
        for (Edge e : n.inputs()) {
            TensorType t = e.type();
            if (!t.isAllocatable() || t.isRef() || t.isHandle() || t.dtype().isObject() || t.byteSize() > SMALL)
                return false;
        }
        return true;
    }
}
