package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.Buckets.Bucket;
import dev.oxbow.parallel.Updates.Part;
import dev.oxbow.parallel.ops.Assemble;
import dev.oxbow.parallel.ops.GradientPush;
import dev.oxbow.parallel.ops.VersionWait;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Writes what a worker and the parameter servers do for each other: waits for versions in front of reads, pushes, and sums in between. */
final class Serving {

    /*
     * Reads of a server's variables wait for the version that the worker's step is for. A push follows all reads at its
     * server, so that no update overtakes one. Where others may complete a step without this worker, the versions are asked
     * for a second time behind the reads: a push of values that were read while they changed belongs to no step and is dropped.
     *
     * What is set without a batch, start values above all, is pushed by every worker and done once: by the first.
     */

    private final Emission emission;
    private final Layouts layouts;
    private final Servers servers;
    private final Updates updates;
    private final int feeds;
    private final Map<Integer, Node> hidden = new HashMap<>();
    private final Map<Integer, Node> waits = new TreeMap<>();
    private final Map<Integer, Set<Node>> reads = new TreeMap<>();
    private final Map<Integer, Node> pushes = new TreeMap<>();
    private final Map<Integer, Node> applied = new TreeMap<>();
    private Edge worker;
    private Node first;

    Serving(Emission emission, Layouts layouts, Servers servers, Updates updates, int feeds) {
        this.emission = emission;
        this.layouts = layouts;
        this.servers = servers;
        this.updates = updates;
        this.feeds = feeds;
    }

    /** The container of what the servers have of this job. */
    String job() {
        return servers.container();
    }

    /** Whether a node is not computed by workers, or only behind the pushes: then it is put into {@code later}. */
    boolean isLeftOut(Node n, List<Node> later) {
        if (first == null) first = n;
        if (Updates.isWrite(n) || !updates.isOfWorkers(n)) return true;
        if (updates.follows(n)) later.add(n);
        return updates.follows(n);
    }

    /** Whether workers need to have an edge together. */
    boolean isWanted(Edge e) {
        return updates.isWanted(e);
    }

    /** What the worker's node runs after, beside what the graph says: the version that a read is of. */
    List<Node> before(Node n) {
        List<Node> all = new ArrayList<>();
        for (Edge e : n.inputs()) {
            if (!(e.node().op() instanceof VarHandleOp)) continue;
            int server = servers.shards().server(e.node());
            if (updates.follows(n) && pushes.containsKey(server)) all.add(applied(server));
            else if (n.op().effects() == Effects.READS && isAwaited()) all.add(waited(server));
        }
        for (Node c : n.controls())
            if (Updates.isWrite(c) && !(n.op() instanceof NoOp))
                all.add(applied(servers.shards().server(c.input(0).node())));
        return all;
    }

    private boolean isAwaited() {
        return servers.isSynchronous() || servers.staleness() < Served.ANY;
    }

    private Node waited(int server) {
        return waits.computeIfAbsent(server, k -> {
            if (servers.isSynchronous()) return wait("/version", k, Servers.version(k), 0, List.of());
            VersionWait op =
                    new VersionWait(Servers.TRAINING, servers.container(), -servers.staleness(), servers.workers(), -1);
            return add("server_" + k + "/slowest", op, List.of(hidden(Servers.version(k))), List.of(), device(k));
        });
    }

    private Node wait(String what, int server, int argument, int plus, List<Node> after) {
        VersionWait op = new VersionWait(Servers.TRAINING, servers.container(), plus, 0, -1);
        return add("server_" + server + what, op, List.of(hidden(argument)), after, device(server));
    }

    private Node applied(int server) {
        return applied.computeIfAbsent(server, k -> wait("/applied", k, Servers.version(k), 1, List.of(pushes.get(k))));
    }

    private String device(int server) {
        return servers.devices().get(server);
    }

    private Node add(String name, Op op, List<Edge> inputs, List<Node> controls, String device) {
        return emission.add(first.edge(0), name, op, inputs, controls, device);
    }

    /** A number that the session feeds. */
    private Edge hidden(int number) {
        return hidden.computeIfAbsent(
                        number,
                        k -> emission.out()
                                .source(
                                        null,
                                        new NodeSpec("_server/" + k, new Arg(DType.I64, feeds + k), List.of()),
                                        new TensorType(DType.I64, Shape.SCALAR)))
                .edge(0);
    }

    private Edge worker() {
        if (worker == null)
            worker = add("/worker", Combination.whole(DType.I64, servers.worker()), List.of(), List.of(), "")
                    .edge(0);
        return worker;
    }

    /** What all workers have of a partial value together. */
    Edge whole(Edge e, Edge mine, Bucket b, boolean waited) {
        if (waited && servers.quorum() < servers.workers())
            throw e.node()
                    .located(new OxbowException(
                            UNIMPLEMENTED,
                            "is a sum over the batch that gradients depend on, which needs all workers, and the plan has %d backups: take Plan.withReplicaNorms(), or none"
                                    .formatted(servers.workers() - servers.quorum())));
        if (b.alone())
            throw e.node()
                    .located(new OxbowException(
                            UNIMPLEMENTED,
                            "has a part of a sum in a loop or a branch, which workers of parameter servers do"
                                    + " not exchange: take Plan.ring()"));
        Edge all = Combination.of(b.reduction(), assembled(e, mine, -1), adder(e));
        double scale = (double) servers.workers() / servers.pushes();
        if (scale == 1 || !b.reduction().equals("sum")) return all;
        Edge by = adder(e).add("/scale", Combination.real(e.type().dtype(), scale), List.of(), null);
        return adder(e).add("/scaled", new Mul(), List.of(all, by), null);
    }

    /** The rows of all workers. */
    Edge gathered(Edge e, Edge mine, int axis) {
        return Combination.joined(axis, assembled(e, mine, axis), adder(e));
    }

    /** Numbers that each worker draws for itself: those of the first. */
    Edge drawn(Edge e, Edge value) {
        return assembled(e, value, -1).getFirst();
    }

    private Combination.Adder adder(Edge e) {
        return (suffix, op, inputs, _) ->
                emission.add(e, suffix, op, inputs, List.of(), device(at(e))).edge(0);
    }

    /** Sums of workers are made where others are not: by turns. */
    private int at(Edge e) {
        return e.node().id() % servers.devices().size();
    }

    private List<Edge> assembled(Edge e, Edge mine, int axis) {
        Assemble op =
                new Assemble(servers.pushes(), servers.workers(), axis, "value of " + e.name(), servers.container());
        Node all = emission.add(
                e, "/assemble", op, List.of(worker(), hidden(Servers.tag()), mine), List.of(), device(at(e)));
        List<Edge> values = new ArrayList<>();
        for (int i = 0; i < all.outputCount(); i++) values.add(all.edge(i));
        return values;
    }

    /** Notes a read of a server's variables. */
    void read(Node made) {
        for (Edge e : made.inputs())
            if (e != null && e.node().op() instanceof VarHandleOp)
                reads.computeIfAbsent(servers.devices().indexOf(e.node().device()), _ -> new LinkedHashSet<>())
                        .add(made);
    }

    /** Writes the pushes. */
    void push(Exchange exchange) {
        emission.out().nodes().forEach(this::read);
        Edge versions = versions();
        for (Part p : updates.parts()) {
            Pushing pushing = new Pushing(layouts, servers, p);
            boolean once = !updates.areOfBatch() && (servers.isSynchronous() || !updates.areOfState());
            int quorum = once ? 1 : servers.quorum();
            double scale = quorum == 0 ? 1 : once ? 1 : (double) servers.workers() / quorum;
            FunctionRef update = pushing.function(Math.max(1, quorum), scale);
            String gate = once ? "once/" + update.name() : Servers.TRAINING;
            List<Edge> inputs = new ArrayList<>(
                    List.of(worker(), hidden(once ? Servers.count() : Servers.version(p.server)), versions));
            for (Edge e : pushing.pushed()) inputs.add(value(e, exchange));
            Set<Node> after = new LinkedHashSet<>(reads.getOrDefault(p.server, Set.of()));
            for (Node c : p.before) after.addAll(List.of(emission.nodes(c)));
            GradientPush op = new GradientPush(gate, servers.container(), update, quorum);
            Node push = add("server_" + p.server + "/push", op, inputs, List.copyOf(after), device(p.server));
            pushes.put(p.server, push);
            if (once) {
                VersionWait done = new VersionWait(gate, servers.container(), 1, 0, -1);
                Edge count = hidden(Servers.count());
                applied.put(
                        p.server,
                        add("server_" + p.server + "/applied", done, List.of(count), List.of(push), device(p.server)));
            }
            for (Node w : p.writes) emission.put(w, push);
        }
    }

    private Edge value(Edge e, Exchange exchange) {
        Layout made = layouts.made(e);
        if (made instanceof Layout.Partial p) return exchange.combined(e, p.reduction(), "");
        if (made.isSplit()) return exchange.joined(e, emission.made(e), made.axis());
        return exchange.converted(e, Layout.BROADCAST)[0];
    }

    /** What must all be the version of the step: nothing where updates wait for every worker. */
    private Edge versions() {
        List<Edge> all = new ArrayList<>();
        if (servers.quorum() > 0 && servers.quorum() < servers.workers() && updates.areOfBatch())
            for (var w : waits.entrySet()) {
                List<Node> after = List.copyOf(reads.getOrDefault(w.getKey(), Set.of()));
                all.add(w.getValue().edge(0));
                all.add(wait("/after", w.getKey(), Servers.version(w.getKey()), 0, after)
                        .edge(0));
            }
        Op op = all.isEmpty() ? new Const(Tensor.allocate(DType.I64, Shape.of(0))) : new Pack(0);
        return add("/versions", op, all, List.of(), "").edge(0);
    }

    /** What runs beside what was asked for. */
    List<Node> roots() {
        List<Node> all = new ArrayList<>(pushes.values());
        all.addAll(applied.values());
        return all;
    }
}
