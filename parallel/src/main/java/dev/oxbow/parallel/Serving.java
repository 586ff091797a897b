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
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.Buckets.Bucket;
import dev.oxbow.parallel.Servers.Gradients;
import dev.oxbow.parallel.Servers.Hidden;
import dev.oxbow.parallel.Updates.Part;
import dev.oxbow.parallel.ops.Assemble;
import dev.oxbow.parallel.ops.CommitPush;
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
final class Serving implements Deferring {

    /*
     * Reads of a server's variables wait for the version that the worker's step is for. A push follows all reads at its
     * server, so that no update overtakes one. Where others may complete a step without this worker, the versions are asked
     * for a second time behind the reads: a push of values that were read while they changed belongs to no step and is dropped.
     *
     * Where several servers are pushed to, none of them counts its push before all have theirs.
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
    private final Map<Integer, Node> worker = new HashMap<>();
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

    @Override
    public boolean isLeftOut(Node n, List<Node> later) {
        if (first == null) first = n;
        if (Updates.isWrite(n) || !updates.isOfWorkers(n)) return true;
        if (updates.follows(n)) later.add(n);
        return updates.follows(n);
    }

    @Override
    public boolean isWanted(Edge e) {
        return updates.isWanted(e);
    }

    @Override
    public List<Node> before(Node n) {
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
            if (servers.isSynchronous()) return wait("/version", k, 0, List.of());
            VersionWait op =
                    new VersionWait(Servers.TRAINING, servers.container(), -servers.staleness(), servers.workers());
            return add("server_" + k + "/slowest", op, List.of(hidden(Hidden.STEP, k)), List.of(), device(k));
        });
    }

    private Node wait(String what, int server, int plus, List<Node> after) {
        VersionWait op = new VersionWait(Servers.TRAINING, servers.container(), plus, 0);
        return add("server_" + server + what, op, List.of(hidden(Hidden.STEP, server)), after, device(server));
    }

    private Node applied(int server) {
        if (keeps()) return pushes.get(server); // there is nothing to come
        return applied.computeIfAbsent(server, k -> wait("/applied", k, 1, List.of(pushes.get(k))));
    }

    private String device(int place) {
        return servers.at(place);
    }

    private Node add(String name, Op op, List<Edge> inputs, List<Node> controls, String device) {
        return emission.add(first.edge(0), name, op, inputs, controls, device);
    }

    /** A number that the session feeds. */
    private Edge hidden(Hidden what, int server) {
        return hidden.computeIfAbsent(
                        what.at(server),
                        k -> emission.out()
                                .source(
                                        null,
                                        new NodeSpec("_server/" + k, new Arg(DType.I64, feeds + k), List.of())
                                                .withDevice(device(server)),
                                        new TensorType(DType.I64, Shape.SCALAR)))
                .edge(0);
    }

    private Edge worker(int server) {
        Const number = Combination.whole(DType.I64, servers.worker());
        return worker.computeIfAbsent(
                        server, k -> add("server_" + k + "/worker", number, List.of(), List.of(), device(k)))
                .edge(0);
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
        int k = at(e);
        List<Edge> inputs = List.of(worker(k), hidden(Hidden.TAG, k), mine);
        Node all = emission.add(e, "/assemble", op, inputs, List.of(), device(k));
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

    @Override
    public void push(Exchange exchange) {
        emission.out().nodes().forEach(this::read);
        List<Edge> all = versions();
        boolean once = !updates.areOfBatch() && (servers.isSynchronous() || !updates.areOfState());
        boolean held = !once && updates.parts().size() * servers.copies() > 1;
        if (keeps()) {
            keep(exchange);
            return;
        }
        for (Part p : updates.parts()) {
            List<Edge> values = new ArrayList<>();
            for (int at = p.server;
                    at < servers.places();
                    at += servers.devices().size()) push(p, at, once, held, all, values, exchange);
        }
        if (held) commit();
        for (Part p : updates.parts()) for (Node w : p.writes) emission.put(w, pushes.get(p.server));
    }

    /** Writes the push to one of the places of a shard; all get the same values. */
    private void push(
            Part p, int at, boolean once, boolean held, List<Edge> all, List<Edge> values, Exchange exchange) {
        String container = servers.container(at);
        Pushing pushing = new Pushing(layouts, p, servers.library(), _ -> device(at), device(at), container);
        int quorum = once ? 1 : servers.quorum();
        double scale = quorum == 0 ? 1 : once ? 1 : (double) servers.workers() / quorum;
        FunctionRef update = pushing.function(Math.max(1, quorum), scale);
        String gate = once ? "once/" + update.name() : Servers.TRAINING;
        Edge step = hidden(once ? Hidden.COUNT : Hidden.STEP, at);
        List<Edge> inputs = new ArrayList<>(List.of(worker(at), step, hidden(Hidden.RUN, at)));
        inputs.add(versions(all, at));
        if (values.isEmpty())
            for (Edge e : pushing.pushed()) values.add(once ? value(e, exchange) : withKept(e, p, exchange));
        inputs.addAll(values);
        Set<Node> after = new LinkedHashSet<>(reads.getOrDefault(p.server, Set.of()));
        for (Node c : p.before) after.addAll(List.of(emission.nodes(c)));
        GradientPush op = new GradientPush(gate, container, update, quorum, held);
        Node push = add("server_" + at + "/push", op, inputs, List.copyOf(after), device(at));
        pushes.put(at, push);
        if (!once) return;
        VersionWait done = new VersionWait(gate, container, 1, 0);
        applied.put(at, add("server_" + at + "/applied", done, List.of(step), List.of(push), device(at)));
    }

    /** Whether the step pushes nothing, but leaves its gradients to a later one. */
    private boolean keeps() {
        Gradients g = servers.turn().gradients();
        return updates.areOfBatch() && (g == Gradients.KEPT || g == Gradients.ADDED);
    }

    /** Adds gradients up in the worker's own task until they are pushed. */
    private void keep(Exchange exchange) {
        for (Part p : updates.parts()) {
            if (!p.rows.isEmpty()) throw refused(p.writes.getFirst());
            List<Node> all = new ArrayList<>();
            for (Node c : p.before) all.addAll(List.of(emission.nodes(c)));
            for (Edge e : p.sums) {
                Op op = servers.turn().gradients() == Gradients.KEPT
                        ? new AssignVariableOp(false)
                        : new AssignAddVariableOp();
                List<Edge> inputs = List.of(kept(e, p), value(e, exchange));
                all.add(emission.add(e, "/kept", op, inputs, List.of(), ""));
            }
            Node done = add("server_" + p.server + "/kept", new NoOp(), List.of(), all, "");
            pushes.put(p.server, done);
            for (Node w : p.writes) emission.put(w, done);
        }
    }

    private Edge withKept(Edge e, Part p, Exchange exchange) {
        Edge now = value(e, exchange);
        if (servers.turn().gradients() != Gradients.PUSHED_WITH_KEPT || !p.sums.contains(e)) return now;
        ReadVariableOp read = new ReadVariableOp(e.type().dtype());
        Edge before = emission.add(e, "/before", read, List.of(kept(e, p)), List.of(), "")
                .edge(0);
        return emission.add(e, "/all", new AddV2(), List.of(before, now), List.of(), "")
                .edge(0);
    }

    /** The handle of a sum of gradients that the worker keeps. */
    private Edge kept(Edge e, Part p) {
        if (!layouts.made(e).equals(Layout.SUM)) throw refused(e.node());
        String name = "sum of " + e.name() + " for server " + p.server;
        VarHandleOp op = new VarHandleOp(
                servers.own(), name, "", e.type().dtype(), e.type().shape(), List.of());
        return emission.add(e, "/sum_of_steps", op, List.of(), List.of(), "").edge(0);
    }

    private static OxbowException refused(Node n) {
        return n.located(new OxbowException(
                UNIMPLEMENTED,
                "updates by more than sums over the batch, which steps do not add up: leave Plan.nPush out"));
    }

    /** Lets pushes count when all servers have theirs. */
    private void commit() {
        List<Node> all = List.copyOf(pushes.values());
        pushes.replaceAll((k, _) -> {
            CommitPush op = new CommitPush(Servers.TRAINING, servers.container(k));
            List<Edge> inputs = List.of(worker(k), hidden(Hidden.RUN, k));
            return add("server_" + k + "/commit", op, inputs, all, device(k));
        });
    }

    private Edge value(Edge e, Exchange exchange) {
        Layout made = layouts.made(e);
        if (made instanceof Layout.Partial p) return exchange.combined(e, p.reduction(), "");
        if (made.isSplit()) return exchange.joined(e, emission.made(e), made.axis());
        return exchange.converted(e, Layout.BROADCAST)[0];
    }

    /** What must all be the version of the step: nothing where updates wait for every worker. */
    private List<Edge> versions() {
        List<Edge> all = new ArrayList<>();
        if (servers.quorum() > 0 && servers.quorum() < servers.workers() && updates.areOfBatch())
            for (var w : waits.entrySet()) {
                List<Node> after = List.copyOf(reads.getOrDefault(w.getKey(), Set.of()));
                all.add(w.getValue().edge(0));
                all.add(wait("/after", w.getKey(), 0, after).edge(0));
            }
        return all;
    }

    private Edge versions(List<Edge> all, int server) {
        Op op = all.isEmpty() ? new Const(Tensor.allocate(DType.I64, Shape.of(0))) : new Pack(0);
        return add("server_" + server + "/versions", op, all, List.of(), device(server))
                .edge(0);
    }

    @Override
    public List<Node> roots() {
        List<Node> all = new ArrayList<>(pushes.values());
        all.addAll(applied.values());
        return all;
    }
}
