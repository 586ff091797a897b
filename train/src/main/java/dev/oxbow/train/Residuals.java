package dev.oxbow.train;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Variable;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.StateEntry;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What this process has not sent of its gradients yet, under a wire format that sends a part of them: variables of its own,
 * by the names that {@link StateEntry} gives them. One that was never assigned is zero.
 */
final class Residuals {

    /*
     * All ranks together still owe the sum of what each has kept. So a run that goes on with another number of workers takes
     * that sum, of which each of the new ones gets the same part: nothing is lost, although who sends what, and so the bits,
     * are others. One that goes on where nothing is kept, by another wire format or alone, drops them, as if the
     * last steps had sent a little less.
     */

    /** How one of them is read, and set to what is fed. */
    private record Access(Edge read, Node assign) {}

    private final Graph graph;
    private final Engine engine;
    private final Value fed;
    private final Map<String, Access> known = new HashMap<>();

    Residuals(Graph graph, Engine engine) {
        this.graph = graph;
        this.engine = engine;
        this.fed = Ops.in(graph).placeholder(graph.unique("residual"), DType.F32, Shape.UNKNOWN);
    }

    /** The node that values are fed to, which are no rows of a batch. */
    String input() {
        return fed.edge().node().name();
    }

    /** Those that there are, as slices of the job's: their first dimension is that of the ranks. The caller closes them. */
    Map<String, Tensor> values(Session session) {
        Map<String, Tensor> all = new LinkedHashMap<>();
        Map<String, Shape> shapes = shapes();
        if (shapes.isEmpty()) return all;
        List<Edge> reads = new ArrayList<>();
        shapes.forEach((name, shape) -> reads.add(access(name, shape).read));
        try (Results r = session.fetch(reads.toArray(Edge[]::new)).run()) {
            int i = 0;
            for (var e : shapes.entrySet())
                all.put(e.getKey(), r.get(i++).reshaped(Shape.of(1).concat(e.getValue())));
        }
        return all;
    }

    private Map<String, Shape> shapes() {
        Map<String, Shape> all = new TreeMap<>();
        engine.devices().forEach(d -> {
            Containers c = d.containers();
            for (String name : c.names(StateEntry.OF_RANKS, Variable.class)) {
                Variable v = c.lookup(StateEntry.OF_RANKS, name, Variable.class);
                if (v.isInitialised()) all.put(name, v.valueShape());
            }
        });
        return all;
    }

    /** Takes this rank's part of what all ranks had; what they did not have is zero. */
    void assign(Session session, Map<String, Tensor> slices, int rank, int ranks) {
        Map<String, Shape> shapes = shapes();
        slices.forEach((name, t) -> {
            Shape own = t.shape().withoutDim(0);
            shapes.remove(name);
            try (Tensor part = part(t, own, rank, ranks)) {
                assign(session, name, own, part);
            }
        });
        shapes.forEach((name, own) -> {
            try (Tensor zeros = Tensor.zeros(DType.F32, own)) {
                assign(session, name, own, zeros);
            }
        });
    }

    private void assign(Session session, String name, Shape shape, Tensor value) {
        session.feed(fed.edge(), value).target(access(name, shape).assign).run().close();
    }

    /** The row of a rank where there is one for each, and else the same part of their sum. */
    static Tensor part(Tensor slices, Shape own, int rank, int ranks) {
        long had = slices.shape().dim(0), size = own.size();
        if (had == ranks) {
            try (Tensor row = slices.rows(rank, 1)) {
                return row.reshaped(own);
            }
        }
        Tensor sum = Tensor.allocate(DType.F32, own);
        for (long i = 0; i < size; i++) {
            double all = 0;
            for (long r = 0; r < had; r++) all += slices.getDouble(r * size + i);
            sum.set(i, all / ranks);
        }
        return sum;
    }

    private Access access(String name, Shape shape) {
        return known.computeIfAbsent(name, n -> {
            VarHandleOp op = new VarHandleOp(StateEntry.OF_RANKS, n, "", DType.F32, shape, List.of());
            Value handle = Value.of(graph.add(op, List.of()).edge(0));
            return new Access(
                    Value.apply(new ReadVariableOp(DType.F32), handle).edge(),
                    graph.add(new AssignVariableOp(false), List.of(handle.edge(), fed.edge())));
        });
    }
}
