package dev.oxbow.parallel;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;

/** Which device a variable lives on: decided when it is first seen, and kept. Thread-safe. */
interface Homes {

    /** Sees what has been added to a graph. */
    void learn(Graph graph);

    /** The device of the variable behind a handle. */
    String of(Node handle);
}
