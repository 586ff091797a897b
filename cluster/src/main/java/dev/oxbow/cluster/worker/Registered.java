package dev.oxbow.cluster.worker;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Limits;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.RendezvousKey;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.Send;
import dev.oxbow.graph.pass.Terminals;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.compile.GlobalCompiler;
import dev.oxbow.runtime.run.Program;
import dev.oxbow.runtime.run.SessionState;
import dev.oxbow.runtime.trace.Labels;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A graph that a master has registered: what this task runs of it, for whole steps and for partial ones. */
final class Registered implements AutoCloseable {
    private static final Set<String> LOOPS =
            Set.of("NextIteration", "RefNextIteration", "While", "StatelessWhile", "For");

    private final SessionState state;
    private final Subgraph graph;
    private final List<String> feeds = new ArrayList<>();
    private final List<String> fetches = new ArrayList<>();
    private Program whole;
    private Program partial;

    private final Pace pace;
    private final Labels labels = new Labels();

    Registered(GraphDef def, SessionState state, Limits limits, Pace pace) {
        this.state = state;
        this.pace = pace;
        Graph g = GraphImporter.read(PlainOps.of(def), limits);
        this.graph = new Subgraph(g, roots(g));
        for (Node n : g.nodes()) {
            if (n.op() instanceof Recv r && r.clientTerminated()) feeds.add(r.key(0, 0));
            if (n.op() instanceof Send s && s.clientTerminated()) fetches.add(s.key(0, 0));
        }
    }

    /** Whether a graph or a function of it does something as often as its data say. */
    static boolean loops(GraphDef def) {
        Stream<NodeDef> called = def.getLibrary().getFunctionList().stream().flatMap(f -> f.getNodeDefList().stream());
        return Stream.concat(def.getNodeList().stream(), called).anyMatch(n -> LOOPS.contains(n.getOp()));
    }

    /** What runs for itself: nodes that nobody reads, and loops that only count iterations for others to send in. */
    private static List<Node> roots(Graph g) {
        List<Node> roots = new ArrayList<>(g.sinks());
        boolean[] needed = new boolean[g.size()];
        ArrayDeque<Node> work = new ArrayDeque<>(roots);
        for (Node r : roots) needed[r.id()] = true;
        while (!work.isEmpty()) {
            Node n = work.poll();
            for (Edge e : n.inputs()) if (mark(e.node(), needed)) work.add(e.node());
            for (Node c : n.controls()) if (mark(c, needed)) work.add(c);
        }
        for (Node n : g.nodes()) if (!needed[n.id()]) roots.add(n);
        return roots;
    }

    private static boolean mark(Node n, boolean[] needed) {
        if (needed[n.id()]) return false;
        return needed[n.id()] = true;
    }

    /** The program of steps whose feeds are there when they begin. */
    synchronized Program whole() {
        if (whole == null) {
            Terminals terminals = new Terminals(names(feeds), names(fetches));
            whole = state.program(
                    GlobalCompiler.split(terminals.run(graph, Services.NONE), state.devices()), fetches.size());
        }
        return whole;
    }

    /** The program of steps that receive and send what a client feeds and fetches while they run. */
    synchronized Program partial() {
        if (partial == null) partial = state.program(GlobalCompiler.split(graph, state.devices()), 0);
        return partial;
    }

    /** How its steps use threads. */
    Pace pace() {
        return pace;
    }

    /** What traces of its steps call nodes. */
    Labels labels() {
        return labels;
    }

    private static List<String> names(List<String> keys) {
        return keys.stream().map(k -> RendezvousKey.parse(k).tensor()).toList();
    }

    /** The fed values in the order of the program's arguments. */
    Tensor[] arguments(List<String> keys, List<Tensor> values) {
        require(
                keys.size() == feeds.size(),
                INVALID_ARGUMENT,
                "RunGraph: the graph wants %d fed values, %s, got %d: %s",
                feeds.size(),
                feeds,
                keys.size(),
                keys);
        Tensor[] all = new Tensor[feeds.size()];
        for (int i = 0; i < all.length; i++) all[index(feeds, keys.get(i), "fed")] = values.get(i);
        return all;
    }

    /** Where a fetched value is among the results of the program. */
    int result(String key) {
        return index(fetches, key, "fetched");
    }

    boolean hasFetch(String key) {
        return fetches.contains(key);
    }

    boolean hasFeed(String key) {
        return feeds.contains(key);
    }

    private static int index(List<String> among, String key, String how) {
        int i = among.indexOf(key);
        require(i >= 0, INVALID_ARGUMENT, "RunGraph: no value is %s by the key '%s'; the keys are %s", how, key, among);
        return i;
    }

    @Override
    public synchronized void close() {
        if (whole != null) whole.close();
        if (partial != null) partial.close();
    }
}
