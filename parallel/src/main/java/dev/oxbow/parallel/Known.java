package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeInference;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.tensor.Tensor;

/** What is known of the inputs of a node: their types, and the values of constants. */
record Known(Node node) implements NodeInference {

    @Override
    public TensorType input(int i) {
        return node.input(i).type().deref();
    }

    @Override
    public Tensor constant(int i) {
        return constant(node.input(i));
    }

    /** The value of a constant; null for others. */
    static Tensor constant(Edge e) {
        while (e.node().op() instanceof Identity) e = e.node().input(0);
        return e.node().op() instanceof Const c ? c.value() : null;
    }
}
