package dev.oxbow.testing;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Park;
import dev.oxbow.graph.core.Unpark;
import dev.oxbow.graph.pass.Rewriter;
import java.util.List;

/** Has some floating values, which ones follows from names, wait on the host before a node reads them. */
record ParkByChance() implements Rewrite {
    private static final int ONE_IN = 5;

    @Override
    public String name() {
        return "park";
    }

    @Override
    public String purpose() {
        return "park values by chance";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        return Rewriter.each(s, (w, n) -> {
            List<Edge> inputs = w.inputs(n);
            boolean changed = false;
            for (int k = 0; k < inputs.size(); k++) {
                if (inputs.get(k) == null || !isChosen(n, k)) continue;
                Node parked = w.add(n, "/parked", new Park(), List.of(inputs.get(k)), List.of());
                Node back = w.add(n, "/back", new Unpark(), List.of(parked.edge(0)), List.of());
                inputs.set(k, back.edge(0));
                changed = true;
            }
            if (changed) w.copy(n, inputs);
            else w.copy(n);
        });
    }

    private static boolean isChosen(Node n, int k) {
        Edge e = n.input(k);
        return !(n.op() instanceof CoreOp)
                && !n.op().asksTypesOnly()
                && !(e.node().op() instanceof Const)
                && e.type().dtype().isFloating()
                && !e.type().isRef()
                && Math.floorMod(31 * n.name().hashCode() + k, ONE_IN) == 0;
    }
}
