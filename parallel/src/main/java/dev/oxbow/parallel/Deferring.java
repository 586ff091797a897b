package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import java.util.List;

/** What becomes of writes that are not done in the step that they belong to, in the graph of pieces. */
interface Deferring {

    /** Whether a node is not computed in the step, or only behind what it pushes: then it is put into {@code later}. */
    boolean isLeftOut(Node n, List<Node> later);

    /** Whether the step itself needs to have an edge together. */
    boolean isWanted(Edge e);

    /** What a node of the step runs after, beside what the graph says. */
    List<Node> before(Node n);

    /** Writes the pushes. */
    void push(Exchange exchange);

    /** What runs beside what was asked for. */
    List<Node> roots();
}
