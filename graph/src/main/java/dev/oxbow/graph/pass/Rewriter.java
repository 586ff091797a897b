package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** Copies a graph node by node, in order, with replacements on the way; linear in nodes and edges. */
final class Rewriter {
    private final Graph out;
    private final Edge[][] edges;
    private final Node[] nodes;
    private final List<Node> loopEntries = new ArrayList<>();

    Rewriter(Graph from, Graph out) {
        this.out = out;
        this.edges = new Edge[from.size()][];
        this.nodes = new Node[from.size()];
    }

    Graph out() {
        return out;
    }

    /** What stands for an edge of the old graph; null when its node was dropped or comes later. */
    Edge edge(Edge old) {
        Edge[] e = edges[old.node().id()];
        return e == null ? null : e[old.port()];
    }

    /** What stands for a node of the old graph as a control input; null when it was dropped. */
    Node node(Node old) {
        return nodes[old.id()];
    }

    /** The inputs of an old node in the new graph; null where an edge goes back to an earlier node of a loop. */
    List<Edge> inputs(Node old) {
        List<Edge> list = new ArrayList<>(old.inputCount());
        for (Edge e : old.inputs()) list.add(e.node().id() >= old.id() ? null : edge(e));
        return list;
    }

    /** The control inputs of an old node in the new graph. */
    List<Node> controls(Node old) {
        var list = new LinkedHashSet<Node>();
        for (Node c : old.controls()) if (nodes[c.id()] != null) list.add(nodes[c.id()]);
        return List.copyOf(list);
    }

    Node copy(Node old) {
        return copy(old, old.name(), controls(old));
    }

    Node copy(Node old, String name, List<Node> controls) {
        return copy(old, new NodeSpec(name, old.op(), inputs(old), controls, old.device(), old.extras()));
    }

    Node copy(Node old, NodeSpec spec) {
        return added(old, spec, out.copy(old, spec));
    }

    /** A copy whose shapes are inferred again. */
    Node refine(Node old, NodeSpec spec) {
        return added(old, spec, out.refined(old, spec));
    }

    private Node added(Node old, NodeSpec spec, Node n) {
        if (spec.inputs().contains(null)) loopEntries.add(old);
        replace(old, n, n);
        return n;
    }

    /** Lets the outputs of {@code by} stand for those of {@code old}, and {@code control} for its completion. */
    void replace(Node old, Node by, Node control) {
        Edge[] e = new Edge[old.outputCount()];
        for (int i = 0; i < e.length; i++) e[i] = by.edge(i);
        replace(old, e, control);
    }

    void replace(Node old, Edge[] by, Node control) {
        edges[old.id()] = by;
        nodes[old.id()] = control;
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
