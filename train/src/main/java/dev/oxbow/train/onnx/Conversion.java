package dev.oxbow.train.onnx;

import dev.oxbow.graph.Node;

/** How the nodes of an op become nodes of ONNX. */
@FunctionalInterface
interface Conversion {

    /** Adds what stands for {@code n}, and says by {@link Emitter#put} what its outputs are called. */
    void convert(Node n, Emitter to);
}
