package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.pass.JoinedNodes;

/** Tells what the plans of a program will be before it runs. */
@FunctionalInterface
public interface Foresight {
    /** What becomes of the nodes of a graph whose program this is. */
    JoinedNodes of(Graph graph, DeviceProgram program);
}
