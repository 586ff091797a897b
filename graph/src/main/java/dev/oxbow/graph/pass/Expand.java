package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Expanding;
import dev.oxbow.graph.Expanding.Expansion;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lets ops be computed by others, where a session's services make that better. Graphs with branches or loops stay. */
public final class Expand implements Rewrite {

    /*
     * What runs after the readers of an expansion runs only if they do, so none of them may be in a branch that is not
     * taken. It also runs after everything that the graph writes: it may wait for others and fail, and then a step has either
     * written nothing or all.
     */

    @Override
    public String name() {
        return "expand";
    }

    @Override
    public String purpose() {
        return "let ops be computed by others, where the services of the session make that better";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Graph from = s.graph();
        boolean expands = false;
        for (Node n : from.nodes()) {
            if (Frames.isSwitch(n.op()) || Frames.isEnter(n.op())) return s;
            expands |= n.op() instanceof Expanding;
        }
        return expands ? rewrite(s, services) : s;
    }

    private static Subgraph rewrite(Subgraph s, Services services) {
        Graph from = s.graph();
        Rewriter w = new Rewriter(from, new Graph(from.functions()));
        Map<Node, Expansion> expanded = new LinkedHashMap<>();
        Map<Node, Set<Node>> readers = new HashMap<>();
        for (Node n : from.nodes()) {
            for (Edge e : n.inputs())
                if (expanded.containsKey(e.node())) readers.get(e.node()).add(n);
            Expansion x = n.op() instanceof Expanding op && n.controls().isEmpty()
                    ? op.expand(services, n, w.inputs(n), w.out())
                    : null;
            if (x == null) {
                w.copy(n);
                continue;
            }
            expanded.put(n, x);
            readers.put(n, new LinkedHashSet<>());
            w.replace(n, x.outputs(), x.first());
        }
        List<Node> roots = new ArrayList<>(), writes = new ArrayList<>();
        for (Node r : s.roots()) roots.add(w.node(r));
        for (Node n : from.nodes()) if (n.op().effects() == Effects.WRITES && !n.op().waits()) writes.add(n);
        expanded.forEach((n, x) -> {
            Set<Node> after = new LinkedHashSet<>(List.of(x.first()));
            for (Node r : readers.get(n)) after.add(w.node(r));
            for (Node write : writes) after.add(w.node(write));
            String name = w.out().unique(n.name() + "/last");
            roots.add(w.out()
                    .derive(n, new NodeSpec(name, x.last(), List.of(), List.copyOf(after), n.device(), Map.of())));
        });
        return new Subgraph(w.out(), roots);
    }
}
