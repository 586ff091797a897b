package dev.oxbow.graph;

import java.util.List;

/**
 * The part of a graph that one kind of run executes: fed values are Arg nodes, fetched ones Retval nodes. Nodes stand
 * after their inputs, back edges aside. What no root needs may be dropped.
 */
public record Subgraph(Graph graph, List<Node> roots) {}
