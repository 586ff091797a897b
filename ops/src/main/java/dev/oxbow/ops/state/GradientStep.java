package dev.oxbow.ops.state;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A step of an optimizer that computes its gradient itself, of inputs that stand in the gradient's place. Made by the
 * optimising passes alone, so it has no form on the wire.
 */
sealed interface GradientStep extends Op permits ProductStep, FormulaStep {
    OptimizerStep step();

    /** Inputs in the place of the gradient. */
    int operands();

    /** What the gradient is, for the op's name. */
    String kind();

    @Override
    default OpSignature signature() {
        OpSignature s = step().signature();
        int at = new OptimizerKernel.Layout(s).gradient;
        OpSignature.Arg g = s.inputs().get(at);
        List<OpSignature.Arg> inputs = new ArrayList<>(s.inputs());
        inputs.remove(at);
        for (int i = 0; i < operands(); i++) {
            String name = g.name() + "_" + i;
            inputs.add(at + i, new OpSignature.Arg(name, false, g.dtype(), g.typeAttr(), g.listAttr(), g.numberAttr()));
        }
        return new OpSignature("_" + s.name() + "Of" + kind(), inputs, s.outputs(), s.attributes(), true);
    }

    @Override
    default Map<String, Object> attributes() {
        return step().attributes();
    }

    @Override
    default List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    default Effects effects() {
        return Effects.WRITES;
    }

    @Override
    default boolean suppliesOutputs() {
        return true;
    }

    @Override
    default Kernel cpu() {
        return new OptimizerKernel(step(), this);
    }
}
