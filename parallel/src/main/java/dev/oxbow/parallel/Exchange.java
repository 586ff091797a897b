package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.collective.ops.AllGather;
import dev.oxbow.collective.ops.AllReduce;
import dev.oxbow.collective.ops.Broadcast;
import dev.oxbow.collective.ops.Reduce;
import dev.oxbow.collective.ops.TopKAllReduce;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Const;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.array.ZerosLike;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.Buckets.Bucket;
import dev.oxbow.parallel.ops.Piece;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Builds what brings values from the layout in which they are made to those in which they are wanted, once for each. */
final class Exchange {
    private record Wanted(Edge edge, Layout layout) {}

    /** What top-k leaves of an old edge, and the variable that keeps it. */
    private record Unsent(Edge of, Edge handle, Edge value) {}

    private final Emission emission;
    private final Layouts layouts;
    private final Buckets buckets;
    private final Plan plan;
    private final Mesh mesh;
    private final List<Rows> rows;
    /** Null where workers exchange without servers. */
    private final Serving serving;
    /** Null where all is done in the step. */
    private final Deferring deferring;

    private final Map<Wanted, Edge[]> converted = new HashMap<>();
    /** One value for the process, or one for each of its devices. */
    private final Map<Edge, Edge[]> whole = new HashMap<>();

    private final Map<Bucket, List<Node>> nodes = new HashMap<>();
    private final Set<String> residuals = new HashSet<>();
    private final List<Unsent> unsent = new ArrayList<>();

    Exchange(
            Emission emission,
            Layouts layouts,
            Buckets buckets,
            Plan plan,
            Mesh mesh,
            List<Rows> rows,
            Serving serving,
            Deferring deferring) {
        this.serving = serving;
        this.deferring = deferring;
        this.emission = emission;
        this.layouts = layouts;
        this.buckets = buckets;
        this.plan = plan;
        this.mesh = mesh;
        this.rows = rows;
    }

    /** The nodes that end an exchange. */
    List<Node> nodes(Bucket b) {
        return nodes.get(b);
    }

    /** An old edge in the layout that a reader wants: one value, or one for each device of the process. */
    Edge[] converted(Edge e, Layout want) {
        Layout made = layouts.made(e);
        if (made.equals(want)) return emission.made(e);
        Wanted key = new Wanted(e, want);
        Edge[] known = converted.get(key);
        if (known != null) return known;
        Edge[] now = convert(e, made, want);
        converted.put(key, now);
        return now;
    }

    private Edge[] convert(Edge e, Layout made, Layout want) {
        require(
                !e.type().isHandle(),
                UNIMPLEMENTED,
                "Spread: %s (%s) is a handle laid out as %s where %s is wanted",
                e,
                e.type(),
                made,
                want);
        if (made.isSplit() && want.isSplit() && rows.getFirst().total() == 1) return reshaped(e, want);
        Edge[] all = made.isBroadcast() ? emission.made(e) : made.isSplit() ? new Edge[] {gathered(e)} : whole.get(e);
        require(all != null, INTERNAL, "Spread: %s was not exchanged", e);
        if (want.isBroadcast()) return all;
        Edge[] pieces = new Edge[rows.size()];
        for (int p = 0; p < pieces.length; p++) {
            Edge mine = all[all.length == 1 ? 0 : p];
            pieces[p] = want.isSplit() ? piece(e, mine, want, p) : summand(e, mine, p);
        }
        return pieces;
    }

    private Edge piece(Edge e, Edge all, Layout want, int p) {
        long dim = e.type().shape().dim(want.axis());
        require(
                dim >= 0 && rows.get(p).divide(dim),
                INTERNAL,
                "Spread: dimension %d of %s %s is not made of rows of a batch of %d",
                want.axis(),
                e,
                e.type(),
                rows.get(p).total());
        Piece op = new Piece(want.axis(), rows.get(p).from(dim), rows.get(p).of(dim));
        return emission.add(e, "/piece", op, List.of(all), List.of(), device(p)).edge(0);
    }

    private String device(int p) {
        return rows.size() == 1 ? "" : mesh.devices().get(p);
    }

    /** What everybody has, counted once: on the first device of all, and nothing elsewhere. */
    private Edge summand(Edge e, Edge all, int p) {
        if (mesh.rank() == 0 && p == 0) return all;
        return emission.add(e, "/none", new ZerosLike(), List.of(all), List.of(), device(p))
                .edge(0);
    }

    /** A batch of one row, of which one device has all and the others have nothing, cut along another axis. */
    private Edge[] reshaped(Edge e, Layout want) {
        Edge[] pieces = emission.made(e).clone();
        for (int p = 0; p < pieces.length; p++) {
            Shape s = e.type().shape();
            Shape local = s.withDim(want.axis(), rows.get(p).of(s.dim(want.axis())));
            pieces[p] = reshape(e, pieces[p], local, device(p));
        }
        return pieces;
    }

    private Edge reshape(Edge of, Edge value, Shape to, String device) {
        Tensor dims = Tensor.allocate(DType.I64, Shape.of(to.rank()));
        for (int d = 0; d < to.rank(); d++) dims.setLong(d, to.dim(d));
        List<Node> after = buckets.isInside(of.node()) ? List.of(value.node()) : List.of();
        Edge shape = emission.add(of, "/shape", new Const(dims), List.of(), after, device)
                .edge(0);
        return emission.add(of, "/reshaped", new Reshape(), List.of(value, shape), List.of(), device)
                .edge(0);
    }

    /** The pieces of all devices one after the other. */
    private Edge gathered(Edge e) {
        Layout.Split split = (Layout.Split) layouts.made(e);
        if (split.strewn())
            throw e.node()
                    .located(new OxbowException(
                            UNIMPLEMENTED, "gives rows of many items, which can be summed over but not gathered"));
        Edge mine = joined(e, emission.made(e), split.axis());
        if (mesh.ranks() == 1) return mine;
        if (serving != null) return serving.gathered(e, mine, split.axis());
        Shape s = e.type().shape();
        boolean first = split.axis() == 0;
        Edge rowsFirst = first ? mine : turned(e, mine, s.rank(), split.axis());
        AllGather gather = new AllGather(true, "", key("gather", e), 0);
        Edge all = emission.add(e, "/gather", gather, List.of(rowsFirst), List.of(), "")
                .edge(0);
        return first ? all : turned(e, all, s.rank(), split.axis());
    }

    /** An axis in the place of the first, and that one in its place. */
    private Edge turned(Edge of, Edge value, int rank, int axis) {
        Tensor order = Tensor.allocate(DType.I32, Shape.of(rank));
        for (int d = 0; d < rank; d++) order.setLong(d, d == 0 ? axis : d == axis ? 0 : d);
        List<Node> after = buckets.isInside(of.node()) ? List.of(value.node()) : List.of();
        Edge by = emission.add(of, "/order", new Const(order), List.of(), after, "")
                .edge(0);
        return emission.add(of, "/turned", new Transpose(), List.of(value, by), List.of(), "")
                .edge(0);
    }

    /** The pieces of the devices of this process one after the other. */
    Edge joined(Edge e, Edge[] pieces, int axis) {
        return Combination.joined(axis, List.of(pieces), adder(e, ""));
    }

    /** Makes the values of a bucket whole, or those of them that the step needs. */
    void whole(Bucket all) {
        List<Node> ends = new ArrayList<>();
        List<Edge> wanted = all.members();
        if (deferring != null)
            wanted = wanted.stream().filter(deferring::isWanted).toList();
        nodes.put(all, ends);
        if (wanted.isEmpty()) return;
        Bucket b = all.of(wanted);
        if (serving != null) {
            for (Edge e : b.members()) {
                Edge mine = combined(e, b.reduction(), "");
                whole.put(e, new Edge[] {mesh.ranks() == 1 ? mine : serving.whole(e, mine, b, buckets.isWaited(e))});
            }
        } else if (mesh.ranks() == 1) {
            for (Edge e : b.members()) {
                Edge[] sums = sums(e, b.reduction());
                whole.put(e, sums);
                for (Edge s : sums) ends.add(s.node());
            }
        } else if (plan.reducesToOwners() && b.reduction().equals("sum")) {
            Edge e = b.members().getFirst(), sum = owned(b, combined(e, b.reduction(), emission.home(e)));
            whole.put(e, new Edge[] {sum});
            ends.add(sum.node());
        } else {
            ends.add(allReduced(b));
        }
    }

    /** Of one process: on the device of the owner, or on each device that has a copy of the variables. */
    private Edge[] sums(Edge e, String reduction) {
        boolean each = plan.isMirrored() && !plan.reducesToOwners() && rows.size() > 1;
        if (!each || buckets.isInside(e.node())) return new Edge[] {combined(e, reduction, emission.home(e))};
        Edge[] all = new Edge[rows.size()];
        for (int p = 0; p < all.length; p++)
            all[p] = combined(e, reduction, mesh.devices().get(p));
        return all;
    }

    private Node allReduced(Bucket b) {
        List<Edge> sums = new ArrayList<>();
        for (Edge e : b.members()) sums.add(combined(e, b.reduction(), emission.home(e)));
        Edge first = b.members().getFirst();
        int priority = b.alone() ? Integer.MAX_VALUE : -b.number();
        Node all;
        if (b.coded() && plan.wire().isTopK()) {
            all = chosen(b, sums, priority);
        } else {
            AllReduce op = sum(plan, b.reduction(), b.coded(), b.pushed())
                    .withKey(key("sum", first))
                    .withPriority(priority);
            all = emission.add(first, "/exchange", op, sums, List.of(), "");
        }
        for (int i = 0; i < sums.size(); i++) whole.put(b.members().get(i), new Edge[] {all.edge(i)});
        return all;
    }

    /** The op that brings values together as a plan says. */
    static AllReduce sum(Plan plan, String reduction, boolean coded, boolean pushed) {
        return AllReduce.of(Reduction.named(reduction))
                .withDeterministic(plan.isDeterministic())
                .withWire(coded ? plan.wire() : WireFormat.NONE)
                .withAlgorithm(pushed || plan.helpers() == 0 ? plan.algorithm() : "");
    }

    /** The largest of the values with what was kept of them before. */
    private Node chosen(Bucket b, List<Edge> sums, int priority) {
        Edge first = b.members().getFirst();
        List<Edge> inputs = new ArrayList<>(sums);
        for (Edge e : b.members()) {
            String name = residuals.add(emission.variable(e)) ? emission.variable(e) : e.name();
            VarHandleOp residual = new VarHandleOp(
                    StateEntry.OF_RANKS,
                    StateEntry.residual(name),
                    "",
                    DType.F32,
                    e.type().shape(),
                    List.of());
            inputs.add(emission.add(e, "/residual", residual, List.of(), List.of(), "")
                    .edge(0));
        }
        TopKAllReduce op = new TopKAllReduce(plan.wire().toString(), b.reduction(), "", key("sum", first), priority, 0);
        Node all = emission.add(first, "/exchange", op, inputs, List.of(), "");
        for (int i = 0; i < sums.size(); i++)
            unsent.add(new Unsent(b.members().get(i), inputs.get(sums.size() + i), all.edge(sums.size() + i)));
        return all;
    }

    /** Keeps what was not sent, once every exchange has ended well; the nodes that do so. */
    List<Node> keep() {
        List<Node> ends = new ArrayList<>(), kept = new ArrayList<>();
        for (Bucket b : buckets.all()) if (!b.alone()) ends.addAll(nodes.get(b));
        for (Unsent u : unsent)
            kept.add(emission.add(u.of, "/keep", new AssignVariableOp(false), List.of(u.handle, u.value), ends, ""));
        return kept;
    }

    /** By the rank that the number of the bucket says, which hands the sum on. */
    private Edge owned(Bucket b, Edge sum) {
        Edge e = b.members().getFirst();
        int owner = b.number() % mesh.ranks();
        Reduce reduce = new Reduce(owner, "sum", "", key("reduce", e), plan.isDeterministic(), 0);
        Node reduced = emission.add(e, "/reduce", reduce, List.of(sum), List.of(), "");
        Broadcast hand = new Broadcast(owner, "", key("hand", e), 0);
        return emission.add(e, "/hand", hand, List.of(reduced.edge(0)), List.of(), "")
                .edge(0);
    }

    /** What the devices of this process have together. */
    Edge combined(Edge e, String reduction, String device) {
        return Combination.of(reduction, List.of(emission.made(e)), adder(e, device));
    }

    private Combination.Adder adder(Edge e, String device) {
        boolean inside = buckets.isInside(e.node());
        return (suffix, op, inputs, beside) -> {
            List<Node> after = beside != null && inside ? List.of(beside.node()) : List.of();
            return emission.add(e, suffix, op, inputs, after, device).edge(0);
        };
    }

    /** Numbers that each rank draws for itself: those of the first rank. */
    Edge drawn(Edge e, Edge value) {
        if (serving != null) return serving.drawn(e, value);
        Broadcast same = new Broadcast(0, "", key("draw", e), 0);
        return emission.add(e, "/same", same, List.of(value), List.of(), "").edge(0);
    }

    /** What a variable starts with: that of the first rank. */
    Edge started(Node assignment, Edge value) {
        if (value.type().dtype().isObject()) return value;
        Edge e = assignment.input(1);
        Broadcast start = new Broadcast(0, "", "start of " + assignment.name(), 0);
        return emission.add(e, "/start", start, List.of(value), List.of(), "").edge(0);
    }

    private static String key(String what, Edge e) {
        return what + " of " + e.name();
    }
}
