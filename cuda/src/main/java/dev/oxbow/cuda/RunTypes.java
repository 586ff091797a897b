package dev.oxbow.cuda;

import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;

/** What an op may ask of the inputs of a kernel that is about to run; values are read on the host. */
record RunTypes(KernelContext c) implements InferenceContext {

    @Override
    public int inputCount() {
        return c.inputCount();
    }

    @Override
    public TensorType input(int i) {
        Tensor t = c.input(i);
        return new TensorType(t.dtype(), t.shape());
    }

    @Override
    public Tensor constant(int i) {
        return c.onHost(i);
    }

    @Override
    public int outputCount() {
        return c.outputCount();
    }

    @Override
    public DType outputDtype(int i) {
        return c.output(i).dtype();
    }

    @Override
    public FunctionLibrary functions() {
        throw new UnsupportedOperationException("a kernel of a card asks for no functions");
    }
}
