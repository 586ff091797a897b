package dev.oxbow.graph.core;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Applies {@code body} to its values as long as {@code cond} holds of them. */
@Signature(
        "While(input: T) -> (output: T) {T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) = []; parallel_iterations: int = 10} stateful")
public record While(FunctionRef cond, FunctionRef body, List<Shape> outputShapes, int parallelIterations)
        implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return CoreOps.inferWhile(c, outputShapes);
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }
}
