package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Invalid;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.core.Send;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

/** Cuts a graph to what fetches and targets need; feeding a value cuts off everything above it. */
public final class Cut {

    /** What it is for, in a line for people. */
    public static final String PURPOSE = "keep what fetches and targets need, cut above feeds";

    /** The device of those who feed and fetch: names in keys are those of devices. */
    private static final String CLIENT = "/job:localhost/replica:0/task:0/device:CPU:0";

    private Cut() {}

    /** The subgraph with feed {@code i} as Arg {@code i} and fetch {@code i} as Retval {@code i}. */
    public static Subgraph run(Graph graph, List<Edge> feeds, List<Edge> fetches, List<Node> targets) {
        return run(graph, feeds, fetches, targets, (i, type) -> new Arg(type.dtype(), i), null, Retval::new);
    }

    /** As above, for feeds of these shapes: the Args have them as their types. */
    public static Subgraph run(
            Graph graph, List<Edge> feeds, List<Shape> shapes, List<Edge> fetches, List<Node> targets) {
        return run(graph, feeds, fetches, targets, (i, type) -> new Arg(type.dtype(), i), shapes, Retval::new);
    }

    /**
     * The subgraph for a run whose feeds and fetches come and go while it runs: feeds are received and fetches sent
     * under the names {@code feed:i} and {@code fetch:i}.
     */
    public static Subgraph partial(Graph graph, List<Edge> feeds, List<Edge> fetches, List<Node> targets) {
        return run(graph, feeds, fetches, targets, (i, type) -> received(i, type.dtype()), null, Cut::sent);
    }

    /** The op that receives feed {@code i} of a partial run. */
    public static Recv received(int i, DType dtype) {
        return new Recv(dtype, "feed:" + i, CLIENT, 0, CLIENT, true);
    }

    /** The op that sends fetch {@code i} of a partial run. */
    public static Send sent(int i) {
        return new Send("fetch:" + i, CLIENT, 0, CLIENT, true);
    }

    private static Subgraph run(
            Graph graph,
            List<Edge> feeds,
            List<Edge> fetches,
            List<Node> targets,
            BiFunction<Integer, TensorType, Op> source,
            List<Shape> shapes,
            IntFunction<Op> sink) {
        Map<Edge, Integer> fed = new HashMap<>();
        Map<Node, Integer> fedNodes = new HashMap<>();
        for (int i = 0; i < feeds.size(); i++) {
            fed.put(feeds.get(i), i);
            fedNodes.put(feeds.get(i).node(), i);
        }
        boolean[] needed = needed(graph, fed, fedNodes.keySet(), fetches, targets);
        Rewriter w = new Rewriter(graph, new Graph(graph.functions()));
        Edge[] args = new Edge[feeds.size()];
        for (int i = 0; i < args.length; i++) {
            Edge f = feeds.get(i);
            String name = w.out().unique("_feed/" + f.node().name() + "_" + f.port());
            TensorType type = shapes == null ? f.type() : f.type().withShape(shapes.get(i));
            NodeSpec spec = new NodeSpec(name, source.apply(i, type), List.of());
            args[i] = w.out().source(f.node(), spec, type).edge(0);
        }
        for (Node n : graph.nodes()) {
            if (n.id() >= needed.length) break;
            if (!needed[n.id()]) continue;
            if (n.op() instanceof Invalid i) throw i.error().rethrown();
            List<Edge> inputs = new ArrayList<>();
            for (Edge e : n.inputs()) {
                Integer arg = fed.get(e);
                inputs.add(arg != null ? args[arg] : e.node().id() >= n.id() ? null : w.edge(e));
            }
            var controls = new LinkedHashSet<Node>();
            for (Node c : n.controls())
                controls.add(fedNodes.containsKey(c) ? args[fedNodes.get(c)].node() : w.node(c));
            w.copy(n, new NodeSpec(n.name(), n.op(), inputs, List.copyOf(controls), n.device(), n.extras()));
        }
        w.connectBack();
        List<Node> roots = new ArrayList<>();
        for (Node t : targets) roots.add(w.node(t));
        for (int i = 0; i < fetches.size(); i++) {
            Edge f = fetches.get(i);
            Integer arg = fed.get(f);
            Edge from = arg != null ? args[arg] : w.edge(f);
            NodeSpec spec = new NodeSpec(w.out().unique("_fetch/" + i), sink.apply(i), List.of(from));
            roots.add(w.out()
                    .derive(
                            f.node(),
                            spec.withDevice(arg != null ? "" : f.node().device())));
        }
        return new Subgraph(w.out(), roots);
    }

    /** The feeds among {@code feeds} that {@code fetch} depends on. */
    public static List<Edge> feedsBehind(Edge fetch, List<Edge> feeds) {
        Map<Edge, Integer> fed = new HashMap<>();
        for (int i = 0; i < feeds.size(); i++) fed.put(feeds.get(i), i);
        if (fed.containsKey(fetch)) return List.of(fetch);
        boolean[] needed = needed(fetch.node().graph(), fed, Set.of(), List.of(fetch), List.of());
        var behind = new LinkedHashSet<Edge>();
        for (Node n : fetch.node().graph().nodes()) {
            if (n.id() < needed.length && needed[n.id()])
                for (Edge e : n.inputs()) if (fed.containsKey(e)) behind.add(e);
        }
        return List.copyOf(behind);
    }

    /** By number: the nodes that the roots need. */
    static boolean[] needed(Subgraph s) {
        return needed(s.graph(), Map.of(), Set.of(), List.of(), s.roots());
    }

    private static boolean[] needed(
            Graph graph, Map<Edge, Integer> fed, Set<Node> fedNodes, List<Edge> fetches, List<Node> targets) {
        boolean[] needed = new boolean[graph.size()];
        ArrayDeque<Node> work = new ArrayDeque<>();
        for (Node t : targets) if (!needed[t.id()]) mark(t, needed, work);
        for (Edge f : fetches) if (!fed.containsKey(f)) mark(f.node(), needed, work);
        while (!work.isEmpty()) {
            Node n = work.poll();
            for (Edge e : n.inputs()) if (!fed.containsKey(e)) mark(e.node(), needed, work);
            for (Node c : n.controls()) if (!fedNodes.contains(c)) mark(c, needed, work);
        }
        return needed;
    }

    private static void mark(Node n, boolean[] needed, ArrayDeque<Node> work) {
        if (needed[n.id()]) return;
        needed[n.id()] = true;
        work.add(n);
    }
}
