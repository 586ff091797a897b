package dev.oxbow.runtime;

import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Types and values of an instruction's inputs that a plan knows. */
record KnownInputs(RegionFacts facts, Instruction instruction) implements InferenceContext {

    @Override
    public int inputCount() {
        return instruction.in.length;
    }

    @Override
    public TensorType input(int k) {
        Shape s = facts.shape(instruction.in[k]);
        return new TensorType(instruction.node.input(k).type().dtype(), s == null ? Shape.UNKNOWN : s);
    }

    @Override
    public Tensor constant(int k) {
        return facts.constant(instruction.in[k]);
    }

    @Override
    public int outputCount() {
        return instruction.out.length;
    }

    @Override
    public DType outputDtype(int k) {
        return instruction.node.output(k).dtype();
    }

    @Override
    public FunctionLibrary functions() {
        return instruction.node.graph().functions();
    }
}
