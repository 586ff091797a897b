package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.core.Const;
import dev.oxbow.kernels.expr.Reduction.Operation;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sums over many rows in groups of rows first, so that who makes some of the rows can sum them while they are at hand. */
public final class RowGroups {

    private static final long GROUPS = 16;
    private static final long WORTH_IT = 1 << 16;
    private static final long LEAST_SUMMED = 32;

    private RowGroups() {}

    public static Subgraph run(Subgraph s) {
        Map<Node, GroupedReduction> grouped = new HashMap<>();
        for (Node n : s.graph().nodes()) {
            GroupedReduction first = n.op() instanceof Reducing op ? first(n, op) : null;
            if (first != null) grouped.put(n, first);
        }
        if (grouped.isEmpty()) return s;
        Rewriter w = new Rewriter(s.graph(), new Graph(s.graph().functions()));
        for (Node n : s.graph().nodes()) {
            if (!grouped.containsKey(n)) {
                w.copy(n);
                continue;
            }
            List<Edge> inputs = w.inputs(n);
            String name = w.out().unique(n.name() + "/groups");
            Node first = w.out()
                    .derive(
                            n,
                            new NodeSpec(
                                    name, grouped.get(n), List.of(inputs.getFirst()), List.of(), n.device(), Map.of()));
            inputs.set(0, first.edge(0));
            w.copy(n, new NodeSpec(n.name(), n.op(), inputs, w.controls(n), n.device(), n.extras()));
        }
        w.connectBack();
        return new Subgraph(w.out(), s.roots().stream().map(w::node).toList());
    }

    /** What comes before a reduction along rows; null where it would not pay. */
    private static GroupedReduction first(Node n, Reducing op) {
        if (op instanceof GroupedReduction || op.operation() != Operation.SUM && op.operation() != Operation.MEAN)
            return null;
        Edge x = n.input(0);
        Shape shape = x.type().shape();
        boolean floating = x.type().dtype() == DType.F32 || x.type().dtype() == DType.F64;
        if (!floating || x.type().isRef() || x.node().id() >= n.id() || !shape.isFullyKnown()) return null;
        if (shape.rank() < 2 || shape.dim(0) % GROUPS != 0 || shape.size() < WORTH_IT) return null;
        List<Tensor> values = new ArrayList<>();
        for (Edge e : n.inputs()) values.add(e.node().op() instanceof Const c ? c.value() : null);
        int[] axes = op.axes(new Fold.Types(n, values));
        if (axes == null || axes.length == 0 || axes[0] != 0) return null;
        long summed = 1;
        List<Integer> list = new ArrayList<>();
        for (int a : axes) {
            summed *= shape.dim(a);
            list.add(a);
        }
        return summed < GROUPS * LEAST_SUMMED ? null : new GroupedReduction(op.operation(), list, GROUPS);
    }
}
