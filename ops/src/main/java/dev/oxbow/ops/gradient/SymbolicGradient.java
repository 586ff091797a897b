package dev.oxbow.ops.gradient;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.ops.flow.FunctionLoop;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The gradient of function {@code f}: from its arguments and the gradients of its results, those of its arguments. */
@Signature("SymbolicGradient(input: Tin) -> (output: Tout) {Tin: list(type) >= 1; Tout: list(type) >= 1; f: func}")
public record SymbolicGradient(@Attr("Tout") List<DType> outputs, FunctionRef f) implements Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Gradients.function(c.functions(), f);
        int given = c.functions().get(Gradients.functionRef(f)).results().size();
        require(
                given == outputs.size(),
                INVALID_ARGUMENT,
                "SymGrad expects to return %d tensor(s), but get %d tensor(s) instead.",
                outputs.size(),
                given);
        List<TensorType> types = new ArrayList<>();
        for (DType t : outputs) types.add(TensorType.of(t));
        return types;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            List<Tensor> arguments = new ArrayList<>();
            for (int i = 0; i < c.inputCount(); i++) arguments.add(c.input(i));
            FunctionLoop.call(c, Gradients.functionRef(f), arguments);
        };
    }
}
