package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** The values that an optional holds. */
@Signature("OptionalGetValue(optional: variant) -> (components: output_types) {output_types: list(type) >= 1;"
        + " output_shapes: list(shape) >= 1}")
public record OptionalGetValue(List<DType> outputTypes, List<Shape> outputShapes) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                outputShapes.size() == outputTypes.size(),
                INVALID_ARGUMENT,
                "output_types and output_shapes must have the same length, got %d and %d",
                outputTypes.size(),
                outputShapes.size());
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < outputTypes.size(); i++) types.add(new TensorType(outputTypes.get(i), outputShapes.get(i)));
        return types;
    }

    @Override
    public Kernel cpu() {
        return c -> Optional.of(c, 0).give(c, outputTypes, outputShapes);
    }

    /** An optional of the gradients. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value[] dys = new Value[outputTypes.size()];
        for (int i = 0; i < dys.length; i++) dys[i] = g.gradient(i);
        return List.of(Value.apply(new OptionalFromValue(), dys));
    }
}
