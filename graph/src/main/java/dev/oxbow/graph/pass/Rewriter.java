package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.BiConsumer;

/** Copies a graph node by node, in order, with replacements on the way; linear in nodes and edges. */
public final class Rewriter {
    private final Graph from;
    private final Graph out;
    private final Edge[][] edges;
    private final Node[] nodes;
    private final List<Node> loopEntries = new ArrayList<>();
    private boolean changed;

    Rewriter(Graph from, Graph out) {
        this.from = from;
        this.out = out;
        this.edges = new Edge[from.size()][];
        this.nodes = new Node[from.size()];
    }

    /** A graph in which {@code step} has copied or replaced each node, or dropped it by doing neither; {@code s} if equal. */
    public static Subgraph each(Subgraph s, BiConsumer<Rewriter, Node> step) {
        return each(s, s.graph().nodes(), step);
    }

    /** As above, with the nodes in another order. */
    static Subgraph each(Subgraph s, List<Node> order, BiConsumer<Rewriter, Node> step) {
        Rewriter w = new Rewriter(s.graph(), new Graph(s.graph().functions()));
        for (Node n : order) step.accept(w, n);
        w.connectBack();
        if (!w.changed && w.out.size() == w.from.size()) return s;
        List<Node> roots = new ArrayList<>();
        for (Node r : s.roots()) roots.add(w.node(r));
        return new Subgraph(w.out, roots);
    }

    /** The graph that is being made. */
    public Graph out() {
        return out;
    }

    /** What stands for an edge of the old graph; null when its node was dropped or comes later. */
    public Edge edge(Edge old) {
        Edge[] e = edges[old.node().id()];
        return e == null ? null : e[old.port()];
    }

    /** What stands for a node of the old graph as a control input; null when it was dropped. */
    public Node node(Node old) {
        return nodes[old.id()];
    }

    /** The inputs of an old node in the new graph; null where an edge goes back to an earlier node of a loop. */
    public List<Edge> inputs(Node old) {
        List<Edge> list = new ArrayList<>(old.inputCount());
        for (Edge e : old.inputs()) list.add(e.node().id() >= old.id() ? null : edge(e));
        return list;
    }

    /** The control inputs of old nodes in the new graph, each once. */
    public List<Node> controls(Node... old) {
        var list = new LinkedHashSet<Node>();
        for (Node n : old) for (Node c : n.controls()) if (nodes[c.id()] != null) list.add(nodes[c.id()]);
        return List.copyOf(list);
    }

    /** Copies a node as it is. */
    public Node copy(Node old) {
        Node n = added(old, spec(old, inputs(old)));
        changed |= n.id() != old.id();
        return n;
    }

    /** Copies a node with other inputs, of the same types. */
    public Node copy(Node old, List<Edge> inputs) {
        return copy(old, spec(old, inputs));
    }

    Node copy(Node old, NodeSpec spec) {
        changed = true;
        return added(old, spec);
    }

    /** Copies a node whose outputs are known to be of these types. */
    public Node copyAs(Node old, List<TensorType> outputs) {
        NodeSpec spec = spec(old, inputs(old));
        changed |= !outputs.equals(old.outputs());
        return stands(old, spec, out.copy(old, spec, outputs));
    }

    /** A copy whose shapes are inferred again. */
    Node refine(Node old) {
        NodeSpec spec = spec(old, inputs(old));
        Node n = out.refined(old, spec);
        changed |= !n.outputs().equals(old.outputs());
        return stands(old, spec, n);
    }

    private NodeSpec spec(Node old, List<Edge> inputs) {
        return new NodeSpec(old.name(), old.op(), inputs, controls(old), old.device(), old.extras());
    }

    private Node added(Node old, NodeSpec spec) {
        return stands(old, spec, out.copy(old, spec));
    }

    private Node stands(Node old, NodeSpec spec, Node n) {
        for (Edge e : spec.inputs()) if (e == null) loopEntries.add(old);
        stand(old, n);
        return n;
    }

    /** Adds a node that {@code old} needs, at its place; the name has {@code suffix} after that of the old one. */
    public Node add(Node old, String suffix, Op op, List<Edge> inputs, Collection<Node> controls) {
        String name = out.unique(old.name() + suffix);
        while (from.has(name)) name = out.unique(old.name() + suffix);
        return out.derive(old, new NodeSpec(name, op, inputs, List.copyOf(controls), old.device(), old.extras()));
    }

    /** Puts another op, with other inputs, in the place of {@code old}, under its name. */
    public Node replace(Node old, Op op, List<Edge> inputs, Collection<Node> controls) {
        Node n = out.derive(
                old, new NodeSpec(old.name(), op, inputs, List.copyOf(controls), old.device(), old.extras()));
        replace(old, n);
        return n;
    }

    /** Lets a new node stand for {@code old}, as its outputs and as its completion. */
    public void replace(Node old, Node by) {
        changed = true;
        stand(old, by);
    }

    /** Lets {@code by} stand for the outputs of {@code old}, and {@code control} for its completion. */
    public void replace(Node old, List<Edge> by, Node control) {
        changed = true;
        edges[old.id()] = by.toArray(Edge[]::new);
        nodes[old.id()] = control;
    }

    private void stand(Node old, Node by) {
        Edge[] e = new Edge[old.outputCount()];
        for (int i = 0; i < e.length; i++) e[i] = by.edge(i);
        edges[old.id()] = e;
        nodes[old.id()] = by;
    }

    /** Connects the back edges of copied loops; call last. */
    void connectBack() {
        for (Node old : loopEntries) {
            Node n = node(old);
            for (int i = 0; i < old.inputCount(); i++) {
                if (n.input(i) == null) out.connectBack(n, i, edge(old.input(i)));
            }
        }
    }
}
