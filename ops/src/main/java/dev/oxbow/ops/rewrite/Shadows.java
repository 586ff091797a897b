package dev.oxbow.ops.rewrite;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.array.Split;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.Shadow;
import dev.oxbow.tensor.DType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps variables of f32 that products read in 16 bits in 16 bits as well: an update writes both, so that no step casts its weights.
 * Results have the same bits.
 */
record Shadows(long most) implements Rewrite {

    /*
     * A cast that only elementwise ops read costs nothing: it is a part of their kernels. One that a product reads is written to
     * memory, in every step. What is kept lies beside what a step plans, in the part of a budget that is left for such things; where
     * it takes more than half of that, memory is worth more than time, and weights are cast as before.
     */

    /** One part of so many of a budget; twice as many are not planned for. */
    private static final long PART = 64;

    Shadows() {
        this(Long.MAX_VALUE);
    }

    @Override
    public Rewrite within(long budgetInBytes) {
        return new Shadows(budgetInBytes / PART);
    }

    @Override
    public String name() {
        return "shadows";
    }

    @Override
    public String purpose() {
        return "keep variables that products read in 16 bits in these, too";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Set<Node> written = new HashSet<>();
        for (Node n : s.graph().nodes())
            for (Edge e : n.inputs()) if (isCast(e.node()) && !(n.op() instanceof Elementwise)) written.add(e.node());
        long bytes = 0;
        for (Node n : written) {
            TensorType t = n.output(0);
            if (!t.shape().isFullyKnown() && most < Long.MAX_VALUE) return s;
            bytes += t.shape().isFullyKnown() ? t.byteSize() : 0;
        }
        if (written.isEmpty() || bytes > most) return s;
        Map<Key, Node> made = new HashMap<>();
        return Rewriter.each(s, (w, n) -> {
            Node from = written.contains(n) ? n.input(0).node() : null;
            Node read = from == null ? null : read(from);
            if (read == null || w.edge(read.input(0)) == null) {
                w.copy(n);
                return;
            }
            DType t = ((Cast) n.op()).dstT();
            List<Edge> both = List.of(w.edge(read.input(0)), w.edge(read.edge(0)));
            Node shadow = made.computeIfAbsent(
                    new Key(read, t), _ -> w.add(n, "/shadow", new Shadow(t), both, w.controls(n)));
            if (from != read) {
                List<Edge> parted = List.of(w.edge(from.input(0)), shadow.edge(0));
                shadow = made.computeIfAbsent(new Key(from, t), _ -> w.add(n, "/parts", from.op(), parted, List.of()));
            }
            w.replace(n, List.of(shadow.edge(n.input(0).port())), shadow);
        });
    }

    /** What a node was made for. */
    private record Key(Node of, DType dtype) {}

    /** The read of a variable that a node is, or gives parts of; null for others. */
    private static Node read(Node n) {
        Node of = n.op() instanceof Split ? n.input(1).node() : n;
        return of.op() instanceof ReadVariableOp ? of : null;
    }

    /** Whether a node is a variable of f32, or a part of one, in 16 bits. */
    private static boolean isCast(Node n) {
        boolean narrow = n.op() instanceof Cast c && (c.dstT() == DType.BF16 || c.dstT() == DType.F16);
        return narrow
                && n.input(0).type().dtype() == DType.F32
                && read(n.input(0).node()) != null;
    }
}
