package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Masks and sums the gradient of a maximum over windows before it is spread over them, while it has fewer elements. */
public final class SpreadLast {

    /*
     * Each window's gradient goes to one of its elements, the largest. A rectifier lets it through where that element is
     * positive, which the maximum tells as well; and the sum of each channel, a bias's gradient, is the same before.
     */

    private static final String SPREAD = "MaxPoolGrad";

    private SpreadLast() {}

    public static Subgraph run(Subgraph s) {
        Readers readers = new Readers(s);
        Map<Node, Node> spreads = new HashMap<>(); // by the mask that reads them
        Map<Node, Node> sums = new HashMap<>();
        for (Node n : s.graph().nodes()) {
            Node from = n.inputCount() == 0 ? null : n.input(0).node();
            if (isMask(n, from, readers)) spreads.put(n, from);
            else if (isSum(n, spreads.getOrDefault(from, from))) sums.put(n, from);
        }
        return spreads.isEmpty() && sums.isEmpty() ? s : rewrite(s, spreads, sums);
    }

    private static boolean isMask(Node n, Node spread, Readers readers) {
        return n.isNamed("ReluGrad")
                && spread.isNamed(SPREAD)
                && spread.input(0).equals(n.input(1))
                && readers.areAll(1, spread)
                && Readers.areTogether(n, spread);
    }

    private static boolean isSum(Node n, Node spread) {
        if (!n.isNamed("BiasAddGrad") || !spread.isNamed(SPREAD)) return false;
        return isPerChannel(spread)
                && n.op().attributes().get("data_format").equals("NHWC")
                && Readers.areTogether(n, spread);
    }

    /** Whether windows of a pool or its gradient stay within a channel, the last dimension. */
    static boolean isPerChannel(Node pool) {
        Map<String, Object> window = pool.op().attributes();
        return window.get("data_format").equals("NHWC")
                && ((List<?>) window.get("ksize")).get(3).equals(1L);
    }

    private static Subgraph rewrite(Subgraph s, Map<Node, Node> spreads, Map<Node, Node> sums) {
        Rewriter w = new Rewriter(s.graph(), new Graph(s.graph().functions()));
        Set<Node> moved = Set.copyOf(spreads.values());
        Map<Node, Edge> masked = new HashMap<>();
        for (Node n : s.graph().nodes()) {
            if (moved.contains(n)) continue;
            if (spreads.containsKey(n)) {
                masked.put(n, spread(w, n, spreads.get(n)));
            } else if (sums.containsKey(n)) {
                Node from = sums.get(n);
                List<Edge> inputs = w.inputs(n);
                inputs.set(0, masked.containsKey(from) ? masked.get(from) : w.edge(from.input(2)));
                w.copy(n, new NodeSpec(n.name(), n.op(), inputs, w.controls(n), n.device(), n.extras()));
            } else {
                w.copy(n);
            }
        }
        w.connectBack();
        return new Subgraph(w.out(), s.roots().stream().map(w::node).toList());
    }

    /** Adds a mask with the spread after it in place of the mask; returns what is spread. */
    private static Edge spread(Rewriter w, Node mask, Node spread) {
        Set<Node> controls = new LinkedHashSet<>(w.controls(mask));
        controls.addAll(w.controls(spread));
        Edge largest = w.edge(spread.input(1));
        Edge first = w.out()
                .derive(
                        mask,
                        new NodeSpec(
                                w.out().unique(mask.name() + "/masked"),
                                mask.op(),
                                List.of(w.edge(spread.input(2)), largest),
                                List.copyOf(controls),
                                mask.device(),
                                mask.extras()))
                .edge(0);
        List<Edge> inputs = List.of(w.edge(spread.input(0)), largest, first);
        Node last = w.out()
                .derive(
                        mask,
                        new NodeSpec(
                                mask.name(),
                                spread.op(),
                                inputs,
                                List.copyOf(controls),
                                spread.device(),
                                spread.extras()));
        w.replace(mask, last, last);
        return first;
    }
}
