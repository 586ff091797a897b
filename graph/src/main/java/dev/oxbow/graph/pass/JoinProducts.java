package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.SumOfProducts;
import dev.oxbow.graph.core.Const;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes one product of a sum of products of equal shapes: the gradient of a weight that every time step uses is then
 * neither stored nor added up once for each of them.
 */
public final class JoinProducts {

    /*
     * a1' b1 + a2' b2 + ... = [a1; a2; ...]' [b1; b2; ...], where ; puts rows below rows. The inputs are packed, which pays
     * while they are smaller than the products. Often one side is packed elsewhere already (the gradient of Unpack, for
     * the inputs of all time steps): then the order is the one there, and Deduplicate makes one of both.
     */

    private static final String PACK = "Pack";

    /** A sum whose terms are all products that nothing else needs. */
    private record Sum(Node node, List<Node> products) {}

    private final Graph from;
    private final Rewriter w;
    private final Map<Edge, List<Node>> packs = new HashMap<>();
    private final Readers readers;

    private JoinProducts(Subgraph s) {
        from = s.graph();
        w = new Rewriter(from, new Graph(from.functions()));
        readers = new Readers(s);
        for (Node n : from.nodes()) {
            if (n.isNamed(PACK) && n.op().attributes().get("axis").equals(0L))
                packs.computeIfAbsent(n.input(0), e -> new ArrayList<>()).add(n);
        }
    }

    public static Subgraph run(Subgraph s) {
        JoinProducts pass = new JoinProducts(s);
        Map<Node, Sum> sums = new HashMap<>();
        Set<Node> dropped = new HashSet<>();
        for (Node n : s.graph().nodes()) {
            Sum sum = pass.sum(n);
            if (sum == null) continue;
            sums.put(n, sum);
            dropped.addAll(sum.products);
        }
        if (sums.isEmpty()) return s;
        for (Node n : s.graph().nodes()) {
            if (dropped.contains(n)) continue;
            if (sums.containsKey(n)) pass.join(sums.get(n));
            else pass.w.copy(n);
        }
        pass.w.connectBack();
        return new Subgraph(pass.w.out(), s.roots().stream().map(pass.w::node).toList());
    }

    private Sum sum(Node n) {
        if (!n.isNamed("AddN") || n.inputCount() < 2) return null;
        List<Node> products = new ArrayList<>();
        for (Edge e : n.inputs()) {
            Node p = e.node();
            if (!isJoinable(p, n) || !p.op().equals(n.input(0).node().op())) return null;
            for (int i = 0; i < 2; i++) if (!shape(p, i).equals(shape(n.input(0).node(), i))) return null;
            products.add(p);
        }
        return new Sum(n, ordered(products));
    }

    /** Whether a term is a product of floats that only the sum reads, worth packing and summed over rows of both sides. */
    private boolean isJoinable(Node p, Node sum) {
        if (!(p.op() instanceof SumOfProducts op) || op.summedAxis(0) != 0 || op.summedAxis(1) != 0) return false;
        if (p.inputCount() != 2 || !readers.areAll(1, p) || !Readers.areTogether(p, sum)) return false;
        DType t = p.output(0).dtype();
        if (t != DType.F32 && t != DType.F64) return false;
        for (int i = 0; i < 2; i++) {
            Edge e = p.input(i);
            if (e.node().id() >= p.id()
                    || e.type().isRef()
                    || shape(p, i).rank() != 2
                    || !shape(p, i).isFullyKnown()) return false;
        }
        long rows = shape(p, 0).dim(0), m = shape(p, 0).dim(1), n = shape(p, 1).dim(1);
        return rows > 0 && rows * (m + n) <= m * n;
    }

    private static Shape shape(Node n, int input) {
        return n.input(input).type().shape();
    }

    /** The products in the order in which one of their sides is packed already; else as they are. */
    private List<Node> ordered(List<Node> products) {
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

    private void join(Sum sum) {
        Set<Node> controls = new LinkedHashSet<>(w.controls(sum.node));
        for (Node p : sum.products) controls.addAll(w.controls(p));
        List<Edge> sides = new ArrayList<>();
        for (int i = 0; i < 2; i++) sides.add(packed(sum, i));
        Node first = sum.products.getFirst();
        Node joined = w.out()
                .derive(
                        sum.node,
                        new NodeSpec(
                                sum.node.name(),
                                first.op(),
                                sides,
                                List.copyOf(controls),
                                sum.node.device(),
                                sum.node.extras()));
        w.replace(sum.node, joined, joined);
    }

    /** One side of all products, rows below rows. */
    private Edge packed(Sum sum, int side) {
        List<Edge> parts = new ArrayList<>();
        for (Node p : sum.products) parts.add(w.edge(p.input(side)));
        Edge all = add(sum, op(PACK, Map.of("axis", 0L)), "/packed", parts);
        Shape part = shape(sum.products.getFirst(), side);
        Tensor dims = Tensor.of(Shape.of(2), parts.size() * part.dim(0), part.dim(1));
        // the constant is made where the packed values are, in their loop or branch
        Node to = w.out()
                .derive(
                        sum.node,
                        new NodeSpec(
                                w.out().unique(sum.node.name() + "/rows"),
                                new Const(dims),
                                List.of(),
                                List.of(all.node()),
                                sum.node.device(),
                                Map.of()));
        return add(sum, op("Reshape", Map.of()), "/joined", List.of(all, to.edge(0)));
    }

    private Edge add(Sum sum, Op op, String suffix, List<Edge> inputs) {
        String name = w.out().unique(sum.node.name() + suffix);
        return w.out()
                .derive(sum.node, new NodeSpec(name, op, inputs, List.of(), sum.node.device(), Map.of()))
                .edge(0);
    }

    private static Op op(String name, Map<String, Object> attributes) {
        return OpRegistry.get().definition(name).create(attributes);
    }
}
