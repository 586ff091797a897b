package dev.oxbow.graph;

import java.util.List;

/** An op that other ops compute, where the services of a session make that better. */
public interface Expanding extends Op {

    /** Adds what stands for a node to a graph, after these inputs; null, and nothing added, where the op itself is best. */
    Expansion expand(Services services, Node node, List<Edge> inputs, Graph out);

    /**
     * What stands for a node.
     *
     * @param first of the new nodes to run
     * @param outputs in the place of the node's
     * @param last runs once all readers of the outputs have; a part of every step that the node was a part of
     */
    record Expansion(Node first, List<Edge> outputs, Op last) {}
}
