package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeInference;
import dev.oxbow.graph.TensorType;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Types and values of an instruction's inputs that a plan knows. */
record KnownInputs(RegionFacts facts, Instruction instruction) implements NodeInference {

    @Override
    public Node node() {
        return instruction.node;
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
}
