package dev.oxbow.ops.rewrite;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.pass.Readers;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.linalg.SumsOfProducts;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Makes one product of a sum of products of equal shapes, see {@link SumsOfProducts}. */
public final class JoinProducts implements Rewrite {

    /*
     * Factors are packed. Often one side is packed elsewhere already (the gradient of Unpack, for the inputs of all time
     * steps): then the order is the one there, and Deduplicate makes one of both.
     */

    @Override
    public String name() {
        return "join";
    }

    @Override
    public String purpose() {
        return "multiply sums of products once, over the rows of all";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Readers readers = new Readers(s);
        Map<Node, List<Node>> sums = new HashMap<>();
        Set<Node> dropped = new HashSet<>();
        for (Node n : s.graph().nodes()) {
            if (!isSum(n, readers)) continue;
            List<Node> products = n.inputs().stream().map(Edge::node).toList();
            sums.put(n, products);
            dropped.addAll(products);
        }
        if (sums.isEmpty()) return s;
        Map<Edge, List<Node>> packs = packs(s);
        return Rewriter.each(s, (w, n) -> {
            if (dropped.contains(n)) return;
            if (sums.containsKey(n)) join(w, n, ordered(sums.get(n), packs));
            else w.copy(n);
        });
    }

    /** Whether all terms are products of one kind and shape that only this node reads. */
    private static boolean isSum(Node n, Readers readers) {
        if (!(n.op() instanceof AddN) || n.inputCount() < 2) return false;
        Node first = n.input(0).node();
        for (Edge e : n.inputs()) {
            Node p = e.node();
            if (!isJoinable(p) || !readers.areAll(1, p) || !Readers.areTogether(p, n)) return false;
            if (!p.op().equals(first.op())) return false;
            for (int i = 0; i < 2; i++) if (!shape(p, i).equals(shape(first, i))) return false;
        }
        return true;
    }

    private static boolean isJoinable(Node p) {
        return SumsOfProducts.isOverRows(p)
                && SumsOfProducts.isKnown(p)
                && SumsOfProducts.pays(p)
                && p.inputs().stream()
                        .noneMatch(e -> e.type().isRef() || e.node().id() >= p.id());
    }

    private static Shape shape(Node n, int input) {
        return n.input(input).type().shape();
    }

    /** By first value: what packs values as rows. */
    private static Map<Edge, List<Node>> packs(Subgraph s) {
        Map<Edge, List<Node>> packs = new HashMap<>();
        for (Node n : s.graph().nodes())
            if (n.op() instanceof Pack p && p.axis() == 0)
                packs.computeIfAbsent(n.input(0), e -> new ArrayList<>()).add(n);
        return packs;
    }

    /** The products in the order in which one of their sides is packed already; else as they are. */
    private static List<Node> ordered(List<Node> products, Map<Edge, List<Node>> packs) {
        for (int side = 0; side < 2; side++) {
            Map<Edge, Node> bySide = new LinkedHashMap<>();
            for (Node p : products) bySide.put(p.input(side), p);
            if (bySide.size() < products.size()) continue;
            for (Edge e : bySide.keySet()) {
                for (Node pack : packs.getOrDefault(e, List.of())) {
                    if (pack.inputCount() == products.size()
                            && Set.copyOf(pack.inputs()).equals(bySide.keySet()))
                        return pack.inputs().stream().map(bySide::get).toList();
                }
            }
        }
        return products;
    }

    private static void join(Rewriter w, Node sum, List<Node> products) {
        Node[] all = Stream.concat(Stream.of(sum), products.stream()).toArray(Node[]::new);
        List<Edge> sides = List.of(packed(w, sum, products, 0), packed(w, sum, products, 1));
        w.replace(sum, products.getFirst().op(), sides, w.controls(all));
    }

    /** One side of all products, rows below rows. */
    private static Edge packed(Rewriter w, Node sum, List<Node> products, int side) {
        List<Edge> parts = products.stream().map(p -> w.edge(p.input(side))).toList();
        Node all = w.add(sum, "/packed", new Pack(0), parts, List.of());
        Shape part = shape(products.getFirst(), side);
        Tensor dims = Tensor.of(Shape.of(2), parts.size() * part.dim(0), part.dim(1));
        // the constant is made where the packed values are, in their loop or branch
        Node to = w.add(sum, "/rows", new Const(dims), List.of(), List.of(all));
        return w.add(sum, "/joined", new Reshape(), List.of(all.edge(0), to.edge(0)), List.of())
                .edge(0);
    }
}
