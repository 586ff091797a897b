package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.Updating;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.ResourceGather;
import dev.oxbow.ops.state.ScatterUpdates;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.Shards.Slice;
import dev.oxbow.parallel.ops.Piece;
import dev.oxbow.parallel.ops.RowsWithin;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Lets variables that {@link Shards} cuts be several, each with some rows on a server of its own, by the same name. */
final class Cutting implements Rewrite {

    /*
     * A read is the pieces one after the other, an update one of each piece by its rows of what it takes. Rows are taken as
     * early as elementwise ops let them be, down to the gradient, of which workers have summands: so each server gets its own
     * rows of it and computes on those alone. Gradients of rows that were gathered are sorted by pieces the same way. Slots
     * are cut as their parameters are, since one op takes both.
     */

    private record Key(Edge edge, Slice slice) {}

    private final Shards shards;
    /** Whether rows and their indices are pushed rather than the table that they are added up to. */
    private final Predicate<Node> sparse;

    private final Map<Node, List<Node>> handles = new HashMap<>();
    private final Map<Key, Edge> rows = new HashMap<>();
    private Frames frames;

    Cutting(Shards shards, Predicate<Node> sparse) {
        this.shards = shards;
        this.sparse = sparse;
    }

    @Override
    public String name() {
        return "cut";
    }

    @Override
    public String purpose() {
        return "cut large variables into rows on several servers";
    }

    /** Whether a node can take the pieces of variables in the place of the variables behind its handles. */
    static boolean canCut(Node n) {
        Op op = n.op();
        Shape s = shape(n.input(0));
        if (s == null || !s.isFullyKnown() || s.rank() == 0) return false;
        if (op instanceof ReadVariableOp || op instanceof AssignVariableOp) return true;
        if (op instanceof ResourceGather g) return g.batchDims() == 0;
        if (op instanceof ScatterUpdates.Rows) return rank(n.input(1)) == 1 && rank(n.input(2)) == s.rank();
        if (!(op instanceof Updating u)) return false;
        for (int i = 0; i < u.variables(); i++) if (!s.equals(shape(n.input(i)))) return false;
        return u.rowInput() < 0 || rank(n.input(u.rowInput())) == 1;
    }

    private static int rank(Edge e) {
        return e.type().shape().rank();
    }

    /** The shape of the variable behind a handle; null where it is none. */
    private static Shape shape(Edge e) {
        return e.node().op() instanceof VarHandleOp v ? v.shape() : null;
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        boolean cuts = s.graph().nodes().stream().anyMatch(n -> slices(n) != null);
        if (!cuts) return s;
        frames = new Frames(s.graph());
        return Rewriter.each(s, (w, n) -> {
            List<Slice> slices = slices(n);
            for (Edge e : n.inputs()) if (slices == null && e.node().id() < n.id()) slices = slices(e.node());
            if (slices == null) w.copy(n);
            else if (n.op() instanceof VarHandleOp v) handle(w, n, v, slices);
            else if (!canCut(n)) throw refused(n);
            else if (n.op() instanceof ReadVariableOp r) read(w, n, r, slices);
            else if (n.op() instanceof ResourceGather g) gather(w, n, g, slices);
            else update(w, n, slices);
        });
    }

    private List<Slice> slices(Node n) {
        return n.op() instanceof VarHandleOp ? shards.slices(n) : null;
    }

    private static OxbowException refused(Node n) {
        return n.located(new OxbowException(
                UNIMPLEMENTED,
                "takes a variable of which parameter servers hold rows, and was added to the graph after that was"
                        + " decided: build the whole graph before the first run"));
    }

    private void handle(Rewriter w, Node n, VarHandleOp v, List<Slice> slices) {
        List<Node> made = new ArrayList<>();
        for (Slice s : slices) {
            VarHandleOp piece = new VarHandleOp(
                    v.container(),
                    Families.name(n),
                    v.debugName(),
                    v.dtype(),
                    v.shape().withDim(0, s.count()),
                    v.allowedDevices());
            String name = w.out().unique(n.name() + "/rows_" + s.from());
            made.add(w.out()
                    .derive(n, new NodeSpec(name, piece, List.of(), List.of(), shards.device(s.server()), Map.of())));
        }
        handles.put(n, made);
        w.replace(n, List.of(made.getFirst().edge(0)), made.getFirst());
    }

    private Edge read(Rewriter w, Node n, DType dtype, List<Slice> slices) {
        List<Edge> all = new ArrayList<>();
        for (int k = 0; k < slices.size(); k++) {
            Edge handle = handles.get(n.input(0).node()).get(k).edge(0);
            all.add(w.add(n, "/rows", new ReadVariableOp(dtype), List.of(handle), w.controls(n))
                    .edge(0));
        }
        if (n.op() instanceof ReadVariableOp)
            for (int k = 0; k < slices.size(); k++) rows.put(new Key(n.edge(0), slices.get(k)), all.get(k));
        return Combination.joined(
                0,
                all,
                (suffix, op, inputs, _) ->
                        w.add(n, suffix, op, inputs, w.controls(n)).edge(0));
    }

    private void read(Rewriter w, Node n, ReadVariableOp r, List<Slice> slices) {
        Edge whole = read(w, n, r.dtype(), slices);
        w.replace(n, List.of(whole), whole.node());
    }

    private void gather(Rewriter w, Node n, ResourceGather g, List<Slice> slices) {
        Edge whole = read(w, n, g.dtype(), slices);
        Edge axis = w.add(n, "/axis", Combination.whole(DType.I32, 0), List.of(), w.controls(n))
                .edge(0);
        w.replace(n, new GatherV2(0), List.of(whole, w.edge(n.input(1)), axis), w.controls(n));
    }

    private void update(Rewriter w, Node n, List<Slice> slices) {
        int variables = n.op() instanceof Updating u ? u.variables() : 1;
        int places = n.op() instanceof Updating u ? u.rowInput() : n.op() instanceof ScatterUpdates.Rows ? 1 : -1;
        List<Node> all = new ArrayList<>();
        for (int k = 0; k < slices.size(); k++) {
            List<Edge> inputs = new ArrayList<>();
            Node within = null;
            for (int i = 0; i < n.inputCount(); i++) {
                Edge e = n.input(i);
                if (i < variables) inputs.add(handles.get(e.node()).get(k).edge(0));
                else if (i == places) inputs.add(null);
                else if (rank(e) == 0) inputs.add(w.edge(e));
                else if (places < 0) inputs.add(rows(w, e, slices.get(k)));
                else {
                    Slice s = slices.get(k);
                    within = w.add(
                            n, "/within", within(s, slices), List.of(w.edge(e), w.edge(n.input(places))), List.of());
                    inputs.add(within.edge(0));
                }
            }
            if (places >= 0) inputs.set(places, within.edge(1));
            all.add(w.add(n, "/rows", n.op(), inputs, w.controls(n)));
        }
        Node done = w.out().derive(n, new NodeSpec(n.name(), new NoOp(), List.of(), all, "", Map.of()));
        w.replace(n, List.of(), done);
    }

    private static RowsWithin within(Slice s, List<Slice> all) {
        Slice last = all.getLast();
        return RowsWithin.of(s.from(), s.count(), last.from() + last.count());
    }

    /** Rows of a value of the shape of a variable. */
    private Edge rows(Rewriter w, Edge e, Slice s) {
        Key key = new Key(e, s);
        Edge known = rows.get(key);
        if (known != null) return known;
        Edge now = taken(w, e, s);
        rows.put(key, now);
        return now;
    }

    private Edge taken(Rewriter w, Edge e, Slice s) {
        Node n = e.node();
        Shape shape = e.type().shape();
        boolean inside = frames.of(n).parent() != null;
        if (!inside && n.outputCount() == 1 && n.op() instanceof Elementwise op && op.broadcasts()) {
            List<Edge> inputs = new ArrayList<>();
            for (Edge x : n.inputs())
                inputs.add(
                        rank(x) == shape.rank() && x.type().shape().dim(0) == shape.dim(0) ? rows(w, x, s) : w.edge(x));
            return w.add(n, "/rows", n.op(), inputs, w.controls(n)).edge(0);
        }
        if (!inside && n.op() instanceof UnsortedSegmentSum && rank(n.input(1)) == 1 && sparse.test(n)) {
            RowsWithin op = RowsWithin.of(s.from(), s.count(), shape.dim(0));
            Node within = w.add(n, "/within", op, List.of(w.edge(n.input(0)), w.edge(n.input(1))), List.of());
            Edge count = w.add(n, "/count", Combination.whole(DType.I32, s.count()), List.of(), List.of())
                    .edge(0);
            return w.add(n, "/rows", n.op(), List.of(within.edge(0), within.edge(1), count), w.controls(n))
                    .edge(0);
        }
        Piece piece = new Piece(0, s.from(), s.count());
        return w.add(n, "/rows", piece, List.of(w.edge(e)), List.of()).edge(0);
    }
}
