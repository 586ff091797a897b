package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import java.util.Arrays;

/**
 * What a device makes of the nodes of a graph: kernels of several nodes, values that only pass through one and are never
 * written, and values that are written over what nobody reads any more.
 */
public final class JoinedNodes {
    private final int[] kernel;
    private final boolean[][] unwritten;
    private final Edge[][] over;
    private long bytes;

    /** Of a graph each of whose nodes is a kernel of its own, until something else is said. */
    public JoinedNodes(Graph graph) {
        kernel = new int[graph.size()];
        Arrays.setAll(kernel, i -> i);
        unwritten = new boolean[graph.size()][];
        over = new Edge[graph.size()][];
        for (Node n : graph.nodes()) {
            unwritten[n.id()] = new boolean[n.outputCount()];
            over[n.id()] = new Edge[n.outputCount()];
        }
    }

    /** Says that a node is part of the kernel that {@code first} is part of, and that outputs are not written but those said to be. */
    public void join(Node n, Node first) {
        kernel[n.id()] = kernel[first.id()];
        Arrays.fill(unwritten[n.id()], true);
    }

    public void writes(Node n, int port) {
        unwritten[n.id()][port] = false;
    }

    /** Says that an output takes the memory of a value. */
    public void writesOver(Node n, int port, Edge value) {
        over[n.id()][port] = value;
    }

    /** Says what a step takes in all, beyond what was there before it. */
    public void takes(long more) {
        bytes += more;
    }

    /** What a step takes in all. */
    public long bytes() {
        return bytes;
    }

    int kernel(int node) {
        return kernel[node];
    }

    boolean isWritten(int node, int port) {
        return !unwritten[node][port];
    }

    /** The value whose memory an output takes, or null. */
    Edge over(int node, int port) {
        return over[node][port];
    }
}
