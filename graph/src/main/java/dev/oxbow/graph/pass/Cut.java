package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Retval;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Cuts a graph to what fetches and targets need; feeding a value cuts off everything above it. */
public final class Cut {
    private Cut() {}

    /** The subgraph with feed {@code i} as Arg {@code i} and fetch {@code i} as Retval {@code i}. */
    public static Subgraph run(Graph graph, List<Edge> feeds, List<Edge> fetches, List<Node> targets) {
        Map<Edge, Integer> fed = new HashMap<>();
        for (int i = 0; i < feeds.size(); i++) fed.put(feeds.get(i), i);
        boolean[] needed = needed(graph, fed, fetches, targets);

        Rewriter w = new Rewriter(graph, new Graph(graph.functions()));
        Edge[] args = new Edge[feeds.size()];
        for (int i = 0; i < args.length; i++) {
            Edge f = feeds.get(i);
            args[i] = w.out()
                    .add(new NodeSpec(
                            w.out().unique("_feed/" + f.node().name() + "_" + f.port()),
                            new Arg(f.type().dtype(), i),
                            List.of()))
                    .edge(0);
        }
        List<Node> roots = new ArrayList<>();
        for (Node n : graph.nodes()) {
            if (n.id() >= needed.length) break;
            if (needed[n.id()]) {
                List<Edge> inputs = new ArrayList<>();
                for (Edge e : n.inputs()) {
                    Integer arg = fed.get(e);
                    inputs.add(arg != null ? args[arg] : e.node().id() >= n.id() ? null : w.edge(e));
                }
                w.copy(n, new NodeSpec(n.name(), n.op(), inputs, w.controls(n), n.device(), n.extras()));
            }
        }
        w.connectBack();
        for (Node t : targets) roots.add(w.node(t));
        for (int i = 0; i < fetches.size(); i++) {
            Edge f = fetches.get(i);
            Integer arg = fed.get(f);
            Edge from = arg != null ? args[arg] : w.edge(f);
            roots.add(w.out()
                    .add(new NodeSpec(w.out().unique("_fetch/" + i), new Retval(i), List.of(from))
                            .withDevice(arg != null ? "" : f.node().device())));
        }
        return new Subgraph(w.out(), roots);
    }

    /** The subgraph without the nodes that its roots do not need. */
    public static Subgraph prune(Subgraph s) {
        boolean[] needed = needed(s.graph(), Map.of(), List.of(), s.roots());
        Rewriter w = new Rewriter(s.graph(), new Graph(s.graph().functions()));
        for (Node n : s.graph().nodes()) if (needed[n.id()]) w.copy(n);
        w.connectBack();
        return new Subgraph(w.out(), s.roots().stream().map(w::node).toList());
    }

    private static boolean[] needed(Graph graph, Map<Edge, Integer> fed, List<Edge> fetches, List<Node> targets) {
        boolean[] needed = new boolean[graph.size()];
        ArrayDeque<Node> work = new ArrayDeque<>();
        for (Node t : targets) if (!needed[t.id()]) mark(t, needed, work);
        for (Edge f : fetches) if (!fed.containsKey(f)) mark(f.node(), needed, work);
        while (!work.isEmpty()) {
            Node n = work.poll();
            for (Edge e : n.inputs()) if (!fed.containsKey(e)) mark(e.node(), needed, work);
            for (Node c : n.controls()) mark(c, needed, work);
        }
        return needed;
    }

    private static void mark(Node n, boolean[] needed, ArrayDeque<Node> work) {
        if (needed[n.id()]) return;
        needed[n.id()] = true;
        work.add(n);
    }
}
