package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.Buckets.Bucket;
import dev.oxbow.parallel.ops.Piece;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes the graph of pieces: what everybody computes alike once for a process, the rest once for each of its devices. */
final class Emission {
    private record Turned(Node merge, int input, Edge old, int piece) {}

    private final Subgraph from;
    private final Layouts layouts;
    private final Buckets buckets;
    private final Plan plan;
    private final Mesh mesh;
    private final List<Rows> rows;
    private final Homes homes;
    private final Graph out;
    private final Exchange exchange;
    private final Order order;
    /** Null where variables live in this process. */
    private final Serving serving;
    /** Null where all is done in the step. */
    private final Deferring deferring;

    /** The pieces of each old edge, or the one value that everybody has; as made. */
    private final Map<Edge, Edge[]> edges = new HashMap<>();

    private final Node[][] nodes;
    private final List<Turned> backEdges = new ArrayList<>();
    private final boolean[] starts;

    Emission(
            Subgraph from,
            Layouts layouts,
            Buckets buckets,
            Plan plan,
            Mesh mesh,
            List<Rows> rows,
            Homes homes,
            Servers servers,
            Late late,
            int feeds) {
        this.from = from;
        this.layouts = layouts;
        this.buckets = buckets;
        this.plan = plan;
        this.mesh = mesh;
        this.rows = rows;
        this.homes = homes;
        this.out = new Graph(late == null ? from.graph().functions() : late.library());
        this.nodes = new Node[from.graph().size()][];
        this.starts = new boolean[from.graph().size()];
        this.order = new Order(from, buckets);
        this.serving = servers == null
                ? null
                : new Serving(
                        this, layouts, servers, new Updates(from, layouts, buckets, servers.shards()::server), feeds);
        this.deferring = late == null ? serving : behind(late);
        this.exchange = new Exchange(this, layouts, buckets, plan, mesh, rows, serving, deferring);
    }

    private Deferring behind(Late late) {
        Map<String, Integer> parts = late.learn(from, layouts, buckets, plan.bucketBytes());
        Updates updates = new Updates(from, layouts, buckets, handle -> parts.getOrDefault(Families.name(handle), -1));
        return new Behind(this, layouts, plan, mesh, rows, homes, late, updates);
    }

    Subgraph run() {
        List<Node> later = new ArrayList<>();
        for (Object next : order.nodesAndBuckets()) {
            if (next instanceof Bucket b) exchange.whole(b);
            else if (deferring != null && deferring.isLeftOut((Node) next, later)) continue;
            else emit((Node) next);
        }
        if (deferring != null) deferring.push(exchange);
        later.forEach(this::emit);
        for (Turned t : backEdges) out.connectBack(t.merge, t.input, edges.get(t.old)[t.piece]);
        List<Node> roots = new ArrayList<>();
        for (Node r : from.roots()) roots.addAll(Arrays.asList(nodes[r.id()]));
        roots.addAll(exchange.keep());
        if (deferring != null) roots.addAll(deferring.roots());
        return new Subgraph(out, roots);
    }

    Graph out() {
        return out;
    }

    Node[] nodes(Node old) {
        return nodes[old.id()];
    }

    Edge[] made(Edge old) {
        return edges.get(old);
    }

    /** Adds a node that an exchange of an old edge needs. */
    Node add(Edge old, String suffix, Op op, List<Edge> inputs, List<Node> controls, String device) {
        String name = out.unique(old.node().name() + (old.port() == 0 ? "" : "_" + old.port()) + suffix);
        while (from.graph().has(name)) name = out.unique(name);
        return out.derive(old.node(), new NodeSpec(name, op, inputs, controls, device, Map.of()));
    }

    /** The device of the variable that readers of an edge update with it; empty for none. */
    String home(Edge old) {
        return order.readers(old).stream()
                .filter(n -> n.op().effects() == Effects.WRITES && n.inputCount() > 0)
                .filter(n -> n.input(0).node().op() instanceof VarHandleOp)
                .map(n -> homes.of(n.input(0).node()))
                .findFirst()
                .orElse("");
    }

    /** The name of the variable that an edge is for: the first that is updated on the way from it; else that of the edge. */
    String variable(Edge old) {
        Deque<Edge> ahead = new ArrayDeque<>(List.of(old));
        Set<Node> seen = new HashSet<>();
        while (!ahead.isEmpty()) {
            for (Node n : order.readers(ahead.poll())) {
                boolean updates = n.op().effects() == Effects.WRITES && n.inputCount() > 0;
                if (updates && n.input(0).node().op() instanceof VarHandleOp v)
                    return v.sharedName().isEmpty() ? n.input(0).node().name() : v.sharedName();
                if (!seen.add(n)) continue;
                for (int i = 0; i < n.outputCount(); i++) ahead.add(n.edge(i));
            }
        }
        return old.name();
    }

    private void emit(Node n) {
        Rule rule = layouts.rule(n);
        starts[n.id()] = isStart(n);
        if (n.op() instanceof Arg) argument(n);
        else if (n.op() instanceof Retval) result(n, rule);
        else if (rule.isApart()) apart(n, rule);
        else if (isMirrored(n)) mirrored(n);
        else once(n);
    }

    /** Whether every device of the process computes a node by itself, of its own copy of the variables. */
    private boolean isMirrored(Node n) {
        if (!plan.isMirrored() || rows.size() == 1 || Frames.isLoopMerge(n)) return false;
        if (n.op() instanceof VarHandleOp) return n.device().isEmpty();
        boolean values = false, handles = false;
        for (Edge e : n.inputs()) {
            boolean each = exchange.converted(e, Layout.BROADCAST).length > 1;
            values |= each;
            handles |= each && e.type().dtype() == DType.RESOURCE;
        }
        if (n.op().effects() == Effects.WRITES) return handles;
        return values && n.op().effects() != Effects.RANDOM && !n.op().waits();
    }

    private void mirrored(Node n) {
        Node[] each = new Node[rows.size()];
        Edge start = isAssignment(n) ? exchange.started(n, exchange.converted(n.input(1), Layout.BROADCAST)[0]) : null;
        for (int p = 0; p < each.length; p++) {
            List<Edge> inputs = new ArrayList<>();
            for (Edge e : n.inputs()) {
                Edge[] found = exchange.converted(e, Layout.BROADCAST);
                inputs.add(found[found.length == 1 ? 0 : p]);
            }
            if (start != null) inputs.set(1, start);
            String name = p == 0 ? n.name() : free(n.name() + "/replica_" + p);
            Op op = n.op() instanceof VarHandleOp v ? replica(n, v, p) : n.op();
            NodeSpec spec = new NodeSpec(
                    name, op, inputs, controls(n, p), mesh.devices().get(p), n.extras());
            each[p] = p == 0 ? out.copy(n, spec) : out.derive(n, spec);
        }
        put(n, each);
    }

    /** The copy of a variable on a device, which has the name of the variable there. */
    private static Op replica(Node n, VarHandleOp v, int p) {
        if (p == 0 || !v.sharedName().isEmpty()) return v;
        return new VarHandleOp(v.container(), n.name(), v.debugName(), v.dtype(), v.shape(), v.allowedDevices());
    }

    /** What a process feeds: its rows, which its devices share, or what everybody feeds. */
    private void argument(Node n) {
        Layout l = layouts.made(n.edge(0));
        NodeSpec spec = new NodeSpec(n.name(), n.op(), List.of(), List.of(), n.device(), n.extras());
        if (!l.isSplit()) {
            put(n, out.source(n, spec, n.output(0)));
            return;
        }
        long dim = n.output(0).shape().dim(l.axis()), mine = 0;
        for (Rows r : rows) mine += r.of(dim);
        Node fed = out.source(n, spec, n.output(0).withShape(n.output(0).shape().withDim(l.axis(), mine)));
        if (rows.size() == 1) {
            put(n, fed);
            return;
        }
        Node[] pieces = new Node[rows.size()];
        long at = 0;
        for (int p = 0; p < pieces.length; p++) {
            Piece piece = new Piece(l.axis(), at, rows.get(p).of(dim));
            pieces[p] = add(n.edge(0), "/piece", piece, List.of(fed.edge(0)), List.of(), "");
            at += rows.get(p).of(dim);
        }
        put(n, pieces);
    }

    private void result(Node n, Rule rule) {
        Edge[] pieces = exchange.converted(n.input(0), rule.wants()[0]);
        boolean isOne = pieces.length == 1 || rule.wants()[0].isBroadcast();
        Edge one = isOne ? pieces[0] : exchange.joined(n.input(0), pieces, rule.wants()[0].axis());
        put(n, out.derive(n, new NodeSpec(n.name(), n.op(), List.of(one), controls(n, -1), n.device(), n.extras())));
    }

    /** Whether an update is left out: a helper has no sums for it. */
    private boolean isIdle(Node n) {
        return mesh.isHelper()
                && n.outputCount() == 0
                && order.isUpdate(n)
                && !order.free().isEmpty();
    }

    /** In the place of an update: every exchange of the step, for those that wait in it. */
    private void idle(Node n) {
        Set<Node> ends = new LinkedHashSet<>();
        for (Bucket b : order.free()) ends.addAll(exchange.nodes(b));
        for (Edge e : n.inputs()) ends.add(exchange.converted(e, Layout.BROADCAST)[0].node());
        put(n, out.derive(n, new NodeSpec(n.name(), new NoOp(), List.of(), List.copyOf(ends), "", Map.of())));
    }

    private void once(Node n) {
        if (isIdle(n)) {
            idle(n);
            return;
        }
        List<Edge> inputs = new ArrayList<>();
        for (Edge e : n.inputs())
            inputs.add(e.node().id() >= n.id() ? null : exchange.converted(e, Layout.BROADCAST)[0]);
        if (isAssignment(n)) inputs.set(1, exchange.started(n, inputs.get(1)));
        if (plan.isMirrored() && rows.size() > 1) checkHandles(n);
        String device = n.op() instanceof VarHandleOp ? homes.of(n) : n.device();
        Op op = serving != null && n.op() instanceof VarHandleOp v ? Pushing.named(n, v, serving.job()) : n.op();
        NodeSpec spec = new NodeSpec(n.name(), op, inputs, controls(n, -1), device, n.extras());
        Node made = out.copy(n, spec);
        for (int i = 0; i < inputs.size(); i++)
            if (inputs.get(i) == null) backEdges.add(new Turned(made, i, n.input(i), 0));
        put(n, made);
        for (int i = 0; i < n.outputCount(); i++)
            if (mustDrawAlike(n, n.edge(i))) edges.put(n.edge(i), new Edge[] {exchange.drawn(n.edge(i), made.edge(i))});
    }

    /** A write through a handle that goes around a loop would reach one of the copies only. */
    private void checkHandles(Node n) {
        if (n.op().effects() != Effects.WRITES) return;
        for (Edge e : n.inputs()) {
            Node from = e.node();
            while (e.type().dtype() == DType.RESOURCE && (Layouts.passes(from.op()) || Frames.isSwitch(from.op())))
                from = from.input(0).node();
            if (e.type().dtype() == DType.RESOURCE && Frames.isLoopMerge(from))
                throw n.located(new OxbowException(
                        UNIMPLEMENTED,
                        "writes through a handle that is a variable of a loop (" + from.name()
                                + "), which has a copy on each replica: hand it to the loop as it is, or take"
                                + " Plan.replicas(n).onHost()"));
        }
    }

    /** Whether an op draws other numbers on each rank, where readers want the same on all. */
    private boolean mustDrawAlike(Node n, Edge e) {
        if (mesh.ranks() == 1
                || n.op().effects() != Effects.RANDOM
                || e.type().dtype().isObject()) return false;
        for (String seed : List.of("seed", "seed2"))
            if (n.op().attributes().get(seed) instanceof Number s && s.longValue() != 0) return false;
        for (Node r : order.readers(e))
            for (int i = 0; i < r.inputCount(); i++)
                if (r.input(i).equals(e) && layouts.rule(r).wants()[i].isBroadcast()) return true;
        return false;
    }

    private void apart(Node n, Rule rule) {
        Node[] pieces = new Node[rows.size()];
        for (int p = 0; p < pieces.length; p++) {
            List<Edge> inputs = new ArrayList<>();
            for (int i = 0; i < n.inputCount(); i++) {
                Edge e = n.input(i);
                Edge[] found = e.node().id() >= n.id() ? null : exchange.converted(e, rule.wants()[i]);
                inputs.add(found == null ? null : found[found.length == 1 ? 0 : p]);
            }
            String device = pieces.length == 1
                    ? n.device()
                    : readsState(n) && !plan.isMirrored() ? "" : mesh.devices().get(p);
            String name = p == 0 ? n.name() : free(n.name() + "/piece_" + p);
            NodeSpec spec = new NodeSpec(
                    name, n.op(), inputs, controls(n, p), device, pieces.length == 1 ? n.extras() : Map.of());
            pieces[p] = new Localising(out, n, rule, rows.get(p), serving != null).add(spec);
            for (int i = 0; i < inputs.size(); i++)
                if (inputs.get(i) == null) backEdges.add(new Turned(pieces[p], i, n.input(i), p));
        }
        put(n, pieces);
        for (int i = 0; i < n.outputCount(); i++)
            if (rule.gives()[i].isBroadcast()) edges.put(n.edge(i), new Edge[] {pieces[0].edge(i)});
    }

    /** Whether a node must be where a variable is. */
    private static boolean readsState(Node n) {
        for (Edge e : n.inputs()) if (e.type().isRef() || e.type().dtype() == DType.RESOURCE) return true;
        return false;
    }

    private String free(String wanted) {
        String name = out.unique(wanted);
        while (from.graph().has(name)) name = out.unique(wanted);
        return name;
    }

    /** Lets nodes stand for an old one. */
    void put(Node n, Node... made) {
        nodes[n.id()] = made;
        for (int i = 0; i < n.outputCount(); i++) {
            Edge[] pieces = new Edge[made.length];
            for (int p = 0; p < pieces.length; p++) pieces[p] = made[p].edge(i);
            edges.put(n.edge(i), pieces);
        }
    }

    /** What a node, or a piece of it, runs after; updates run after all exchanges, so that a step is done as a whole. */
    private List<Node> controls(Node n, int piece) {
        Set<Node> all = new LinkedHashSet<>();
        if (plan.hasTowers() && n.op() instanceof Const && !buckets.isInside(n)) return List.of(); // of all towers
        for (Node c : n.controls()) {
            Node[] made = nodes[c.id()];
            if (piece >= 0 && made.length > 1) all.add(made[piece]);
            else all.addAll(Arrays.asList(made));
        }
        if (serving == null) for (Bucket b : order.bucketsBefore(n)) all.addAll(exchange.nodes(b));
        if (deferring != null) all.addAll(deferring.before(n));
        return List.copyOf(all);
    }

    private boolean isAssignment(Node n) {
        return mesh.ranks() > 1
                && serving == null
                && n.op() instanceof AssignVariableOp
                && !StateEntry.isOfRanks(n.input(0).node())
                && starts[n.input(1).node().id()];
    }

    /** Whether a value comes from no variable and no batch: what variables start with. */
    private boolean isStart(Node n) {
        if (n.op().effects() == Effects.READS || n.op().effects() == Effects.WRITES) return false;
        if (layouts.rule(n).isApart() || Frames.isMerge(n.op()) || Frames.isSwitch(n.op())) return false;
        for (Edge e : n.inputs()) if (!starts[e.node().id()] || layouts.isEarly(e)) return false;
        return true;
    }
}
