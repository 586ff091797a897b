package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** Sums over many rows in groups of rows first, so that who makes some of the rows can sum them while they are at hand. */
public final class RowGroups implements Rewrite {

    private static final long GROUPS = 16;
    private static final long WORTH_IT = 1 << 16;
    private static final long LEAST_SUMMED = 32;

    @Override
    public String name() {
        return "group";
    }

    @Override
    public String purpose() {
        return "sum over many rows in groups of rows first";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        return Rewriter.each(s, (w, n) -> {
            GroupedReduction first = n.op() instanceof Reducing op ? first(n, op) : null;
            if (first == null) {
                w.copy(n);
                return;
            }
            List<Edge> inputs = w.inputs(n);
            Node groups = w.add(n, "/groups", first, List.of(inputs.getFirst()), List.of());
            inputs.set(0, groups.edge(0));
            w.copy(n, inputs);
        });
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
        int[] axes = op.axes(Fold.Types.of(n));
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
