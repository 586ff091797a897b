package dev.oxbow.graph;

/** One output of a node. */
public record Edge(Node node, int port) {

    public TensorType type() {
        return node.output(port);
    }

    /** {@code name:port}. */
    public String name() {
        return node.name() + ":" + port;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Edge e && e.node == node && e.port == port;
    }

    @Override
    public int hashCode() {
        return 31 * System.identityHashCode(node) + port;
    }

    @Override
    public String toString() {
        return name();
    }
}
