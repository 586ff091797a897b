package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.Send;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Splits a placed graph into one graph for each device, with a Send and a Recv where an edge crosses. */
final class Partition {

    /*
     * A value goes to each other device once, however many nodes read it there; a control edge sends a constant that
     * waits for its source. The node that ends a group of updates waits for nothing that is elsewhere: a run ends when all
     * parts have ended, so what it waited for becomes a root of its part, and no message is sent. A Recv inside a loop must run once in each iteration, so every device that takes part in a
     * loop across devices gets a small loop of its own that counts the same iterations: a Merge to start receives from,
     * and a Switch driven by the loop's condition, received where it is not local. (Abadi et al. 2016, section 3.4.)
     */

    private record Crossing(Edge from, DeviceSpec to) {}

    private record LoopOn(Frames.Frame frame, DeviceSpec device) {}

    private final DeviceSpec[] placed;
    private final Frames frames;
    private final Graph whole;
    private final List<Node> nodes;
    private final Map<DeviceSpec, Graph> parts = new LinkedHashMap<>();
    /** What is needed for itself: the roots of the whole, sends, and what starts the iterations of loops. */
    private final Map<DeviceSpec, Set<Node>> roots = new HashMap<>();

    private final Node[] copies;
    private final Map<Crossing, Edge> received = new HashMap<>();
    private final Map<Crossing, String> sent = new HashMap<>();
    private int transfers;
    private final Map<Node, Edge> signals = new HashMap<>();
    private final Map<LoopOn, Node> loops = new LinkedHashMap<>();
    /** What says that a loop goes on. */
    private final Map<Frames.Frame, Edge> conditions = new HashMap<>();

    private final Set<String> added = new HashSet<>();
    private final boolean[] spread;
    private final Map<Node, List<Crossing>> leaving;
    /** The devices that receive large values late; others do at once. */
    private final Set<DeviceSpec> scarce;

    private final LateReceives late;
    /** Nodes that only say when others are done, and only to the end of the run. */
    private final boolean[] ends;

    private Partition(Subgraph s, DeviceSpec[] placed, Set<DeviceSpec> scarce, CostModel costs) {
        this.placed = placed;
        this.whole = s.graph();
        this.nodes = whole.nodes();
        this.frames = new Frames(s.graph());
        this.copies = new Node[nodes.size()];
        this.spread = new boolean[frames.all().size()];
        this.ends = ends();
        this.leaving = leaving();
        this.scarce = scarce;
        this.late = scarce.isEmpty() ? null : new LateReceives(nodes, placed, frames, costs);
        for (DeviceSpec d : placed) {
            parts.computeIfAbsent(d, k -> new Graph(s.graph().functions()));
            roots.computeIfAbsent(d, k -> new LinkedHashSet<>());
        }
    }

    /** The parts of a graph, given the device of each node by node id. */
    static List<Part> run(Subgraph s, DeviceSpec[] placed) {
        return run(s, placed, Set.of(), null);
    }

    /** As above, with large values received late by scarce devices, by what {@code costs} say. */
    static List<Part> run(Subgraph s, DeviceSpec[] placed, Set<DeviceSpec> scarce, CostModel costs) {
        boolean one = true;
        for (DeviceSpec d : placed) one &= d == placed[0];
        if (one) return placed.length == 0 ? List.of() : List.of(new Part(placed[0], s));
        return new Partition(s, placed, scarce, costs).build(s.roots());
    }

    private List<Part> build(List<Node> whole) {
        if (crosses()) {
            findConditions();
            findSpreadLoops();
        }
        for (Node n : nodes) copy(n);
        for (Node n : nodes) {
            for (int i = 0; i < n.inputCount(); i++) {
                if (copies[n.id()].input(i) != null) continue;
                Edge back = n.input(i);
                parts.get(placed[n.id()])
                        .connectBack(copies[n.id()], i, copies[back.node().id()].edge(back.port()));
            }
        }
        for (var e : List.copyOf(loops.entrySet())) closeLoop(e.getKey(), e.getValue());
        for (Node r : whole) roots.get(placed[r.id()]).add(copies[r.id()]);
        loops.forEach((at, start) -> roots.get(at.device()).add(start));
        List<Part> all = new ArrayList<>();
        parts.forEach((d, g) -> all.add(new Part(d, new Subgraph(g, List.copyOf(roots.get(d))))));
        return all;
    }

    /** Whether an edge leads from one device to another; none does where others have partitioned the graph by device. */
    private boolean crosses() {
        for (Node n : nodes) {
            for (Edge e : n.inputs()) if (placed[e.node().id()] != placed[n.id()]) return true;
            for (Node c : n.controls()) if (placed[c.id()] != placed[n.id()]) return true;
        }
        return false;
    }

    /** In a part of a graph that others have partitioned, the LoopCond of a loop may be elsewhere; its switches are not. */
    private void findConditions() {
        for (Node n : nodes)
            if (n.op() instanceof Switch && Frames.isLoopMerge(n.input(0).node()))
                conditions.putIfAbsent(frames.of(n), n.input(1));
        for (Node n : nodes) if (n.op() instanceof LoopCond) conditions.put(frames.of(n), n.edge(0));
    }

    /** Loops with nodes on several devices, the loops around them included. */
    private void findSpreadLoops() {
        DeviceSpec[] first = new DeviceSpec[spread.length];
        for (Node n : nodes) {
            for (Frames.Frame f : List.of(frames.of(n), frames.ofOutputs(n))) {
                for (Frames.Frame x = f; x.parent() != null; x = x.parent()) {
                    if (first[x.number()] == null) first[x.number()] = placed[n.id()];
                    else if (first[x.number()] != placed[n.id()]) spread[x.number()] = true;
                }
            }
        }
    }

    private boolean[] ends() {
        boolean[] ends = new boolean[nodes.size()];
        for (Node n : nodes)
            ends[n.id()] = n.op() instanceof NoOp && frames.ofOutputs(n).parent() == null;
        for (Node n : nodes.reversed()) {
            for (Edge e : n.inputs()) ends[e.node().id()] = false;
            if (!ends[n.id()]) for (Node c : n.controls()) ends[c.id()] = false;
        }
        return ends;
    }

    private void copy(Node n) {
        DeviceSpec d = placed[n.id()];
        if (spread[frames.ofOutputs(n).number()]) loop(frames.ofOutputs(n), d);
        List<Edge> inputs = new ArrayList<>(n.inputCount());
        for (Edge e : n.inputs()) inputs.add(e.node().id() >= n.id() ? null : local(e, d));
        List<Node> controls = new ArrayList<>();
        for (Node c : n.controls()) {
            if (placed[c.id()] == d) controls.add(copies[c.id()]);
            else if (ends[n.id()]) roots.get(placed[c.id()]).add(copies[c.id()]);
            else controls.add(after(c, d));
        }
        copies[n.id()] = parts.get(d).copy(n, new NodeSpec(n.name(), n.op(), inputs, controls, d.name(), n.extras()));
        // a region runs in the order of its nodes: what others wait for goes out before anything else is done
        for (Crossing c : leaving.getOrDefault(n, List.of())) send(c.from(), c.to());
    }

    /** The values that others read, by the node that makes them. */
    private Map<Node, List<Crossing>> leaving() {
        Map<Node, List<Crossing>> all = new HashMap<>();
        for (Node n : nodes)
            for (Edge e : n.inputs())
                if (e.node().id() < n.id() && placed[e.node().id()] != placed[n.id()])
                    all.computeIfAbsent(e.node(), _ -> new ArrayList<>()).add(new Crossing(e, placed[n.id()]));
        return all;
    }

    /** The value of an edge of the whole graph on a device, sent there if it is made elsewhere. */
    private Edge local(Edge e, DeviceSpec d) {
        DeviceSpec from = placed[e.node().id()];
        if (from == d) return copies[e.node().id()].edge(e.port());
        Edge known = received.get(new Crossing(e, d));
        if (known != null) return known;
        Frames.Frame frame = frames.ofOutputs(e.node());
        Node last = !scarce.contains(d) || frame.parent() != null ? null : late.after(e, d);
        Edge there = receive(copies[e.node().id()].edge(e.port()), send(e, d), from, d, frame, last);
        received.put(new Crossing(e, d), there);
        return there;
    }

    /** Sends the value of an edge to a device, once; gives what the value is called on its way. */
    private String send(Edge e, DeviceSpec d) {
        return sent.computeIfAbsent(
                new Crossing(e, d),
                _ -> send(copies[e.node().id()].edge(e.port()), placed[e.node().id()], d));
    }

    /** A node on a device that runs after a node of another one: the receive of a constant that waits for it. */
    private Node after(Node source, DeviceSpec d) {
        DeviceSpec from = placed[source.id()];
        Edge signal = signals.computeIfAbsent(source, n -> {
            Graph g = parts.get(from);
            var spec = new NodeSpec(fresh(g, "_signal/" + n.name()), new Const(Tensor.scalar(true)), List.of());
            return g.derive(n, spec.withControls(List.of(copies[n.id()])).withDevice(from.name()))
                    .edge(0);
        });
        return received.computeIfAbsent(
                        new Crossing(signal, d),
                        _ -> receive(signal, send(signal, from, d), from, d, frames.ofOutputs(source), null))
                .node();
    }

    private String send(Edge value, DeviceSpec from, DeviceSpec to) {
        String name = "edge_" + transfers++ + "_" + value.node().name() + "_" + value.port();
        Graph source = parts.get(from);
        Send send = new Send(name, from.name(), from.incarnation(), to.name(), false);
        var spec = new NodeSpec(fresh(source, "_send/" + name), send, List.of(value));
        roots.get(from).add(source.derive(value.node(), spec.withDevice(from.name())));
        return name;
    }

    /** The receive of what is sent by a name, after {@code last}, where that is not null. */
    private Edge receive(Edge value, String name, DeviceSpec from, DeviceSpec to, Frames.Frame frame, Node last) {
        Graph target = parts.get(to);
        List<Node> start = new ArrayList<>();
        if (frame.parent() != null) start.add(loop(frame, to));
        if (last != null) start.add(copies[last.id()]);
        Recv recv = new Recv(value.type().dtype(), name, from.name(), from.incarnation(), to.name(), false);
        var spec = new NodeSpec(fresh(target, "_recv/" + name), recv, List.of(), start, to.name(), Map.of());
        return target.source(value.node(), spec, value.type()).edge(0);
    }

    /** The Merge that starts each iteration of a loop on a device. */
    private Node loop(Frames.Frame f, DeviceSpec d) {
        Node known = loops.get(new LoopOn(f, d));
        if (known != null) return known;
        Graph g = parts.get(d);
        List<Node> start = f.parent().parent() == null ? List.of() : List.of(loop(f.parent(), d));
        Node token = add(g, d, f, "token", new Const(Tensor.scalar(true)), List.of(), start);
        Node enter = add(
                g,
                d,
                f,
                "enter",
                new Enter(f.name(), false, f.parallelIterations()),
                List.of(token.edge(0)),
                List.of());
        if (!conditions.containsKey(f)) { // a frame without a loop has one iteration
            Node first = add(g, d, f, "first", new Identity(), List.of(enter.edge(0)), List.of());
            loops.put(new LoopOn(f, d), first);
            return first;
        }
        List<Edge> two = new ArrayList<>(List.of(enter.edge(0)));
        two.add(null);
        Node merge = add(g, d, f, "merge", new Merge(), two, List.of());
        loops.put(new LoopOn(f, d), merge);
        return merge;
    }

    private void closeLoop(LoopOn at, Node merge) {
        Edge condition = conditions.get(at.frame());
        if (condition == null) return;
        Graph g = parts.get(at.device());
        Edge go = local(condition, at.device());
        Node s = add(g, at.device(), at.frame(), "switch", new Switch(), List.of(merge.edge(0), go), List.of());
        Node again = add(g, at.device(), at.frame(), "again", new Identity(), List.of(s.edge(1)), List.of());
        Node next = add(g, at.device(), at.frame(), "next", new NextIteration(), List.of(again.edge(0)), List.of());
        g.connectBack(merge, 1, next.edge(0));
    }

    private Node add(
            Graph g, DeviceSpec d, Frames.Frame f, String label, Op op, List<Edge> inputs, List<Node> controls) {
        String name = fresh(g, "_loop/" + f.name() + "/" + label);
        return g.derive(null, new NodeSpec(name, op, inputs, controls, d.name(), Map.of()));
    }

    /** A name that no node has, here, in the whole or in another part: those of one task may travel together. */
    private String fresh(Graph g, String wish) {
        String name = g.unique(wish);
        while (whole.has(name) || !added.add(name)) name = g.unique(wish);
        return name;
    }
}
