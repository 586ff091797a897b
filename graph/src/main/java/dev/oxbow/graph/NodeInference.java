package dev.oxbow.graph;

import dev.oxbow.tensor.DType;

/** What inference asks of a node of a graph, whatever is known of its inputs. */
public interface NodeInference extends InferenceContext {
    Node node();

    @Override
    default int inputCount() {
        return node().inputCount();
    }

    @Override
    default int outputCount() {
        return node().outputCount();
    }

    @Override
    default String name(int i) {
        return node().op().signature().inputName(i, inputCount());
    }

    @Override
    default String source(int i) {
        return node().input(i).node().name();
    }

    @Override
    default DType outputDtype(int i) {
        return node().output(i).dtype();
    }

    @Override
    default FunctionLibrary functions() {
        return node().graph().functions();
    }
}
