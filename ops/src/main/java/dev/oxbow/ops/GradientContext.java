package dev.oxbow.ops;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;

/** What a gradient may ask: the node's inputs and outputs, and the gradients that came back to its outputs. */
public interface GradientContext {
    Node node();

    /** The graph that the gradient is built in. */
    default Graph graph() {
        return node().graph();
    }

    default Ops ops() {
        return Ops.in(graph());
    }

    /** Input {@code i} as a value to compute with; in loops, the value it had in the iteration that is gone back to. */
    Value input(int i);

    /** Output {@code i}, likewise. */
    Value output(int i);

    /** The gradient of output {@code i}; zeros when nothing depends on it. */
    Value gradient(int i);

    /** Whether anything depends on output {@code i}. */
    boolean hasGradient(int i);

    /** A name that all gradients of one sweep share and no other sweep has, for state that they build together. */
    String sweep();
}
