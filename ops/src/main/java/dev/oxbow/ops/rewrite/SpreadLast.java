package dev.oxbow.ops.rewrite;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Readers;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.math.Relu6Grad;
import dev.oxbow.ops.math.ReluGrad;
import dev.oxbow.ops.nn.BiasAddGrad;
import dev.oxbow.ops.nn.MaxPoolGrad;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Masks and sums the gradient of a maximum over windows before it is spread over them, while it has fewer elements. */
public final class SpreadLast implements Rewrite {

    /*
     * Each window's gradient goes to one of its elements, the largest. A rectifier lets it through where that element is
     * in its range, which the maximum tells as well; and the sum of each channel, a bias's gradient, is the same before.
     */

    @Override
    public String name() {
        return "spread";
    }

    @Override
    public String purpose() {
        return "mask and sum the gradient of a maximum over windows before it is spread over them";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Readers readers = new Readers(s);
        Map<Node, Node> spreads = new HashMap<>(); // by the mask that reads them
        Map<Node, Node> sums = new HashMap<>();
        for (Node n : s.graph().nodes()) {
            Node from = n.inputCount() == 0 ? null : n.input(0).node();
            if (isMask(n, from, readers)) spreads.put(n, from);
            else if (isSum(n, spreads.getOrDefault(from, from))) sums.put(n, from);
        }
        if (spreads.isEmpty() && sums.isEmpty()) return s;
        Set<Node> moved = Set.copyOf(spreads.values());
        Map<Node, Edge> masked = new HashMap<>();
        return Rewriter.each(s, (w, n) -> {
            if (moved.contains(n)) return;
            if (spreads.containsKey(n)) {
                masked.put(n, spread(w, n, spreads.get(n)));
            } else if (sums.containsKey(n)) {
                Node from = sums.get(n);
                w.copy(n, List.of(masked.containsKey(from) ? masked.get(from) : w.edge(from.input(2))));
            } else {
                w.copy(n);
            }
        });
    }

    private static boolean isMask(Node n, Node spread, Readers readers) {
        return isMask(n.op())
                && spread.op() instanceof MaxPoolGrad
                && spread.input(0).equals(n.input(1))
                && readers.areAll(1, spread)
                && Readers.areTogether(n, spread);
    }

    private static boolean isMask(Op op) {
        return op instanceof ReluGrad || op instanceof Relu6Grad;
    }

    private static boolean isSum(Node n, Node spread) {
        return n.op() instanceof BiasAddGrad sum
                && spread.op() instanceof MaxPoolGrad pool
                && pool.keepsChannels(sum.dataFormat())
                && Readers.areTogether(n, spread);
    }

    /** Adds a mask with the spread after it in place of the mask; returns what is spread. */
    private static Edge spread(Rewriter w, Node mask, Node spread) {
        List<Node> controls = w.controls(mask, spread);
        Edge largest = w.edge(spread.input(1));
        Edge first = w.add(mask, "/masked", mask.op(), List.of(w.edge(spread.input(2)), largest), controls)
                .edge(0);
        w.replace(mask, spread.op(), List.of(w.edge(spread.input(0)), largest, first), controls);
        return first;
    }
}
