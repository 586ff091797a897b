package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.ops.Assemble;
import dev.oxbow.parallel.ops.GradientPush;
import dev.oxbow.parallel.ops.VersionWait;
import dev.oxbow.runtime.DeviceName;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The graph that a worker sends to its cluster: all kinds of its runs side by side, every node with a device.
 *
 * @param device that of the worker
 */
record SentRuns(Graph graph, Servers servers, String device) {

    /**
     * One kind of run.
     *
     * @param feeds by number, what stands for what the user feeds
     * @param hidden by number, what the session feeds by itself
     * @param pushed the servers that it brings gradients to
     * @param once the gate of what is done once for all workers; null for none
     * @param assembles whether it meets other workers
     */
    record Sent(
            Map<Integer, Edge> feeds,
            Map<Integer, Edge> hidden,
            List<Edge> fetches,
            List<Node> targets,
            Set<Integer> pushed,
            String once,
            boolean assembles) {}

    /** Where workers tell each other how many rows they have. */
    record Round(Edge tag, Edge said, Edge heard) {}

    /** The step that this worker is at, for each server. */
    List<Edge> versions() {
        Ops ops = Ops.in(graph);
        List<Edge> all = new ArrayList<>();
        int of = servers.isSynchronous() ? -1 : servers.worker();
        for (int k = 0; k < servers.devices().size(); k++) {
            try (Graph.Scope _ = graph.device(servers.devices().get(k))) {
                VersionWait op = new VersionWait(Servers.TRAINING, servers.container(), 0, 0, of);
                all.add(Value.apply(op, ops.constant(DType.I64, 0)).edge());
            }
        }
        return all;
    }

    Round rows() {
        try (Graph.Scope _ = graph.device(servers.devices().getFirst())) {
            Ops ops = Ops.in(graph);
            Value tag = ops.placeholder("rows/tag", DType.I64, Shape.SCALAR);
            Value said = ops.placeholder("rows/said", DType.I64, Shape.of(1, -1));
            Assemble op = new Assemble(servers.pushes(), servers.workers(), 0, "rows", servers.container());
            List<Value> all = Value.applyAll(op, ops.constant(DType.I64, servers.worker()), tag, said);
            Edge heard = Combination.joined(
                    0,
                    all.stream().map(Value::edge).toList(),
                    (suffix, o, inputs, _) ->
                            graph.add(o, "rows" + suffix, inputs).edge(0));
            return new Round(tag.edge(), said.edge(), heard);
        }
    }

    /** Adds a run on pieces, of which the first {@code feeds} arguments are the user's. */
    Sent add(Subgraph s, int feeds, int results) {
        String prefix = graph.unique("run") + "/";
        Map<Node, Node> nodes = new HashMap<>();
        Map<Edge, Edge> edges = new HashMap<>();
        Map<Integer, Edge> fed = new TreeMap<>(), hidden = new TreeMap<>();
        Edge[] fetches = new Edge[results];
        Set<Integer> pushed = new HashSet<>();
        String once = null;
        boolean assembles = false;
        Set<Edge> wholes = wholes(s.graph());
        for (Node n : s.graph().nodes()) {
            if (n.op() instanceof Retval r) {
                fetches[r.index()] = edges.get(n.input(0));
                nodes.put(n, fetches[r.index()].node());
                continue;
            }
            Node made = copy(prefix, n, nodes, edges, wholes);
            if (n.op() instanceof Arg a && a.index() < feeds) fed.put(a.index(), made.edge(0));
            else if (n.op() instanceof Arg a) hidden.put(a.index() - feeds, made.edge(0));
            if (n.op() instanceof GradientPush p && p.gate().equals(Servers.TRAINING))
                pushed.add(servers.devices().indexOf(n.device()));
            else if (n.op() instanceof GradientPush p) once = p.gate();
            assembles |= n.op() instanceof Assemble;
        }
        for (Node n : s.graph().nodes())
            for (int i = 0; i < n.inputCount(); i++)
                if (n.input(i).node().id() >= n.id()) graph.connectBack(nodes.get(n), i, edges.get(n.input(i)));
        List<Node> targets = new ArrayList<>();
        for (Node r : s.roots()) if (!(r.op() instanceof Retval)) targets.add(nodes.get(r));
        return new Sent(fed, hidden, Arrays.asList(fetches), targets, pushed, once, assembles);
    }

    private Node copy(String prefix, Node n, Map<Node, Node> nodes, Map<Edge, Edge> edges, Set<Edge> wholes) {
        List<Edge> inputs = new ArrayList<>();
        for (Edge e : n.inputs()) inputs.add(e.node().id() >= n.id() ? null : edges.get(e));
        List<Node> controls = n.controls().stream().map(nodes::get).distinct().toList();
        Map<String, Object> extras = new HashMap<>(n.extras());
        extras.remove("_class"); // devices are said
        if (n.op().effects() != Effects.NONE) extras.put(Graph.STATE, n.name());
        NodeSpec spec =
                new NodeSpec(prefix + n.name(), n.op(), inputs, controls, device(n, wholes), Map.copyOf(extras));
        Node made = n.op() instanceof Arg a
                ? graph.add(new NodeSpec(
                        spec.name(),
                        new Placeholder(a.type(), n.output(0).shape()),
                        List.of(),
                        List.of(),
                        device,
                        Map.of()))
                : graph.copy(n, spec);
        nodes.put(n, made);
        for (int i = 0; i < n.outputCount(); i++) edges.put(n.edge(i), made.edge(i));
        return made;
    }

    /** Whether a node takes rows of a variable that nobody wants the whole of, so that the server may send those alone. */
    private static boolean takesRows(Node n, Set<Edge> wholes) {
        if (!(n.op() instanceof GatherV2 g) || g.batchDims() != 0 || wholes.contains(n.input(0))) return false;
        if (!(n.input(0).node().op() instanceof ReadVariableOp)) return false;
        boolean first = n.input(2).node().op() instanceof Const c && c.value().getLong(0) == 0;
        TensorType rows = n.output(0), table = n.input(0).type();
        return first && rows.isAllocatable() && table.isAllocatable() && rows.byteSize() < table.byteSize();
    }

    /** The values of variables that workers want whole, whatever rows of them others take. */
    private static Set<Edge> wholes(Graph g) {
        Set<Edge> wholes = new HashSet<>();
        for (Node n : g.nodes())
            for (int i = 0; i < n.inputCount(); i++)
                if (n.input(i).node().op() instanceof ReadVariableOp && !(i == 0 && takesRows(n, Set.of())))
                    wholes.add(n.input(i));
        return wholes;
    }

    /** Where a node says, where its handle is, or with the worker. */
    private String device(Node n, Set<Edge> wholes) {
        for (Edge e : n.inputs())
            if (e.node().op() instanceof VarHandleOp) return e.node().device();
        if (takesRows(n, wholes)) return n.input(0).node().input(0).node().device();
        if (n.device().isEmpty()) return device;
        DeviceName name = DeviceName.parse(n.device());
        if (name.job() != null) return n.device();
        String task = device.substring(0, device.indexOf("/device:"));
        return task + "/" + (n.device().startsWith("/") ? n.device().substring(1) : n.device());
    }
}
