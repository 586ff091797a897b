package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.DynamicStitch;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.flow.IdentityN;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.Servers.Turn;
import dev.oxbow.parallel.ops.Assemble;
import dev.oxbow.parallel.ops.GradientPush;
import dev.oxbow.parallel.ops.RowsWithin;
import dev.oxbow.parallel.ops.VersionWait;
import dev.oxbow.runtime.DeviceName;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** One kind of run of a worker on its way into the graph that is sent. */
final class Sending {

    /*
     * What waits for different receives is in different regions, so that with a receive for each variable no chain would go over
     * two layers. Variables that come together in one node are one wait for all that follows; where they are many bytes there
     * are several such nodes, in the order in which variables are needed, and the forward pass starts with the first.
     */

    private final SentRuns sent;
    private final Subgraph pieces;
    private final int feeds;
    private final Turn turn;
    private final String prefix;
    private final Map<Node, Node> nodes = new HashMap<>();
    private final Map<Edge, Edge> edges = new HashMap<>();
    private final Set<Edge> wholes;
    /** By read, what comes of it to the worker. */
    private final Map<Edge, Edge> pulled = new HashMap<>();

    /** What a step begins with, and the rest. */
    private final Set<Node> early = new LinkedHashSet<>(), late = new LinkedHashSet<>();

    private final boolean trains;
    private final Copies copies;
    private final Set<String> written;
    private final Ahead given;
    private final Edge[] fetches;
    private final Set<Integer> pushed = new HashSet<>();
    private String once;
    private boolean assembles;

    Sending(SentRuns sent, Subgraph pieces, int feeds, int results, Turn turn) {
        this.sent = sent;
        this.pieces = pieces;
        this.feeds = feeds;
        this.turn = turn;
        this.prefix = sent.graph().unique("run") + "/";
        this.wholes = wholes(pieces.graph());
        this.fetches = new Edge[results];
        for (Node n : pieces.graph().nodes()) (isEarly(n, early) ? early : late).add(n);
        this.trains = late.stream().anyMatch(this::isOfGradients);
        this.copies = new Copies(sent.graph(), sent.servers().with(turn), sent.device());
        this.written = trains && turn.returns() ? copies.written(late) : Set.of();
        this.given = new Ahead(copies, sent.servers(), sent.device(), trains ? sent.ahead() : null);
    }

    SentRuns.Sent add() {
        early.forEach(this::copy);
        for (List<Edge> group : given.apart(pulls())) pull(group);
        for (Node n : PushOrder.of(early, late)) {
            if (n.op() instanceof Retval r) {
                fetches[r.index()] = edges.get(n.input(0));
                nodes.put(n, fetches[r.index()].node());
            } else {
                send(n);
            }
        }
        Map<Integer, Edge> fed = new TreeMap<>(), hidden = new TreeMap<>();
        for (Node n : pieces.graph().nodes()) {
            if (n.op() instanceof Arg a && a.index() < feeds) fed.put(a.index(), edges.get(n.edge(0)));
            else if (n.op() instanceof Arg a) hidden.put(a.index() - feeds, edges.get(n.edge(0)));
            for (int i = 0; i < n.inputCount(); i++)
                if (n.input(i).node().id() >= n.id()) sent.graph().connectBack(nodes.get(n), i, edges.get(n.input(i)));
        }
        Set<String> read = back(), outdated = new HashSet<>(written);
        outdated.removeAll(read);
        List<Node> targets = new ArrayList<>(copies.kept());
        for (Node r : pieces.roots()) if (!(r.op() instanceof Retval)) targets.add(nodes.get(r));
        return new SentRuns.Sent(
                fed,
                hidden,
                Arrays.asList(fetches),
                targets,
                pushed,
                once,
                assembles,
                trains,
                read,
                outdated,
                given.pulls());
    }

    /** Brings variables to the worker together, or has them read from its copies. */
    private void pull(List<Edge> group) {
        if (trains && !turn.pulls()) {
            for (Edge e : group) pulled.put(e, copies.read(e));
            return;
        }
        List<Edge> inputs = group.stream().map(edges::get).toList();
        Node all = copies.add(new IdentityN(), inputs, List.of(), sent.device());
        for (int i = 0; i < inputs.size(); i++) {
            pulled.put(group.get(i), all.edge(i));
            given.pulled(group.get(i), all.edge(i));
            if (trains && turn.keeps() && !written.contains(Copies.name(group.get(i))))
                copies.keep(group.get(i), all.edge(i), List.of());
        }
    }

    /** Adds a node that the step does not begin with. */
    private void send(Node n) {
        boolean takes = takesRows(n, wholes);
        if (takes && reads(n.input(0)).size() > 1) gather(n);
        else copy(n);
        if (takes && trains) pulled.put(n.edge(0), given.rows(n, reads(n.input(0)), edges.get(n.edge(0)), feeds));
        if (n.op() instanceof GradientPush p) {
            boolean first = p.container().equals(sent.servers().container());
            if (!p.gate().equals(Servers.TRAINING)) once = p.gate();
            else if (first) pushed.add(sent.servers().devices().indexOf(n.device()));
        }
        assembles |= n.op() instanceof Assemble;
    }

    /** Sends new values back behind updates where the worker keeps copies; the names of these. */
    private Set<String> back() {
        Set<String> read = new HashSet<>();
        if (!trains || !turn.returns()) return read;
        pulled.keySet().removeIf(e -> !(e.node().op() instanceof ReadVariableOp));
        copies.back(late, pulled.keySet(), edges, nodes);
        for (Edge e : pulled.keySet()) read.add(Copies.name(e));
        return read;
    }

    /** Whether a node takes gradients away from the worker, or keeps them there. */
    private boolean isOfGradients(Node n) {
        if (n.op() instanceof GradientPush p) return p.gate().equals(Servers.TRAINING);
        return Updates.isWrite(n)
                && n.input(0).node().op() instanceof VarHandleOp v
                && v.container().equals(sent.servers().with(turn).own());
    }

    /** Takes rows of a variable that was cut: each from the server that has it. */
    private void gather(Node n) {
        String name = sent.graph().unique(prefix + n.name());
        Combination.Adder adder = (suffix, op, inputs, _) -> sent.graph()
                .add(new NodeSpec(name + suffix, op, inputs, List.of(), sent.device(), Map.of()))
                .edge(0);
        Edge ids = edges.get(n.input(1));
        long count = n.input(1).type().shape().size();
        Edge list =
                adder.add("/list", new Reshape(), List.of(ids, adder.add("/flat", vector(-1), List.of(), null)), null);
        Tensor numbers = Tensor.allocate(DType.I32, Shape.of(count));
        for (long i = 0; i < count; i++) numbers.setLong(i, i);
        Edge places = adder.add("/numbers", new Const(numbers), List.of(), null);
        List<Edge> stitched = new ArrayList<>(), rows = new ArrayList<>();
        long from = 0;
        for (Edge read : reads(n.input(0))) {
            String at = "/rows_" + from;
            long length = read.type().shape().dim(0);
            Edge mine = adder.add(
                    at + "/within",
                    RowsWithin.of(from, length, n.input(0).type().shape().dim(0)),
                    List.of(places, list),
                    null);
            String server = edges.get(read).node().device();
            Node axis = sent.graph()
                    .add(new NodeSpec(
                            name + at + "/axis",
                            Combination.whole(DType.I32, 0),
                            List.of(),
                            List.of(),
                            server,
                            Map.of()));
            List<Edge> inputs = List.of(edges.get(read), mine.node().edge(1), axis.edge(0));
            NodeSpec taken = new NodeSpec(name + at, new GatherV2(0), inputs, List.of(), server, Map.of());
            stitched.add(mine);
            rows.add(sent.graph().add(taken).edge(0));
            from += length;
        }
        stitched.addAll(rows);
        Edge all = adder.add("/stitched", new DynamicStitch(), stitched, null);
        Edge shape = adder.add("/shape", vector(n.output(0).shape().dims()), List.of(), null);
        Edge whole = adder.add("", new Reshape(), List.of(all, shape), null);
        nodes.put(n, whole.node());
        edges.put(n.edge(0), whole);
    }

    private static Const vector(long... numbers) {
        Tensor t = Tensor.allocate(DType.I64, Shape.of(numbers.length));
        for (int i = 0; i < numbers.length; i++) t.setLong(i, numbers[i]);
        return new Const(t);
    }

    /** Whether a node is on the way to a read that a step begins with. */
    private static boolean isEarly(Node n, Set<Node> early) {
        Op op = n.op();
        boolean reads = op instanceof VarHandleOp || op instanceof ReadVariableOp || op instanceof VersionWait;
        return (reads || op instanceof Arg)
                && n.inputs().stream().allMatch(e -> early.contains(e.node()))
                && early.containsAll(n.controls());
    }

    /** Groups of variables that the worker's nodes need, in the order in which they do. */
    private List<List<Edge>> pulls() {
        Set<Edge> needed = new LinkedHashSet<>();
        for (Node n : late) {
            if (n.op() instanceof Retval || isOfServers(device(n, wholes))) continue;
            boolean joins = n.op() instanceof ConcatV2 && !reads(n.edge(0)).isEmpty();
            if (joins && !wholes.contains(n.edge(0))) continue; // whose rows are taken where they are
            for (Edge e : n.inputs())
                if (e.node().op() instanceof ReadVariableOp
                        && !late.contains(e.node())
                        && isOfServers(device(e.node(), wholes))) needed.add(e);
        }
        List<List<Edge>> groups = new ArrayList<>();
        long bytes = sent.pullBytes();
        for (Edge e : needed) {
            if (bytes >= sent.pullBytes()) {
                groups.add(new ArrayList<>());
                bytes = 0;
            }
            groups.getLast().add(e);
            bytes += Buckets.bytes(e);
        }
        return groups;
    }

    private boolean isOfServers(String where) {
        return sent.servers().devices().contains(where);
    }

    private void copy(Node n) {
        List<Edge> inputs = new ArrayList<>();
        boolean pulls = !isOfServers(device(n, wholes));
        for (Edge e : n.inputs())
            inputs.add(e.node().id() >= n.id() ? null : pulls && pulled.containsKey(e) ? pulled.get(e) : edges.get(e));
        List<Node> controls = n.controls().stream().map(nodes::get).distinct().toList();
        Map<String, Object> extras = new HashMap<>(n.extras());
        extras.remove("_class"); // devices are said
        if (n.op().effects() != Effects.NONE) extras.put(Graph.STATE, n.name());
        NodeSpec spec =
                new NodeSpec(prefix + n.name(), n.op(), inputs, controls, device(n, wholes), Map.copyOf(extras));
        Node made = n.op() instanceof Arg a
                ? sent.graph()
                        .add(new NodeSpec(
                                spec.name(),
                                new Placeholder(a.type(), n.output(0).shape()),
                                List.of(),
                                List.of(),
                                n.device().isEmpty() ? sent.device() : device(n, wholes),
                                Map.of()))
                : sent.graph().copy(n, spec);
        nodes.put(n, made);
        for (int i = 0; i < n.outputCount(); i++) edges.put(n.edge(i), made.edge(i));
    }

    /** Whether a node takes rows of a variable that nobody wants the whole of, so that the server may send those alone. */
    private static boolean takesRows(Node n, Set<Edge> wholes) {
        if (!(n.op() instanceof GatherV2 g) || g.batchDims() != 0 || wholes.contains(n.input(0))) return false;
        if (reads(n.input(0)).isEmpty()) return false;
        boolean first = isZero(n.input(2));
        TensorType rows = n.output(0), table = n.input(0).type();
        return first && rows.isAllocatable() && table.isAllocatable() && rows.byteSize() < table.byteSize();
    }

    /** The values of variables that workers want whole, whatever rows of them others take. */
    private static Set<Edge> wholes(Graph g) {
        Set<Edge> wholes = new HashSet<>();
        for (Node n : g.nodes())
            for (int i = 0; i < n.inputCount(); i++)
                if (!reads(n.input(i)).isEmpty() && !(i == 0 && takesRows(n, Set.of()))) wholes.add(n.input(i));
        return wholes;
    }

    /** The reads that make up a value: of a variable, or of the rows that it was cut into; none where it is something else. */
    private static List<Edge> reads(Edge e) {
        Node n = e.node();
        if (n.op() instanceof ReadVariableOp) return List.of(e);
        if (!(n.op() instanceof ConcatV2) || !isZero(n.input(n.inputCount() - 1))) return List.of();
        List<Edge> all = n.inputs().subList(0, n.inputCount() - 1);
        return all.stream().allMatch(x -> x.node().op() instanceof ReadVariableOp) ? all : List.of();
    }

    private static boolean isZero(Edge e) {
        return e.node().op() instanceof Const c && c.value().getLong(0) == 0;
    }

    /** Where a node says, where its handle is, or with the worker. */
    private String device(Node n, Set<Edge> wholes) {
        for (Edge e : n.inputs()) if (e.node().op() instanceof VarHandleOp) return device(e.node(), Set.of());
        if (takesRows(n, wholes) && reads(n.input(0)).size() == 1)
            return n.input(0).node().input(0).node().device();
        if (n.device().isEmpty()) return sent.device();
        DeviceName name = DeviceName.parse(n.device());
        if (name.job() != null) return n.device();
        String task = sent.device().substring(0, sent.device().indexOf("/device:"));
        return task + "/" + (n.device().startsWith("/") ? n.device().substring(1) : n.device());
    }
}
