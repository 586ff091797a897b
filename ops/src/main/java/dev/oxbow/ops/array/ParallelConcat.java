package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Values with one row each, joined along the first dimension. */
@Signature("ParallelConcat(values: N*T) -> (output: T) {N: int >= 1; T: type; shape: shape}")
public record ParallelConcat(Shape shape) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = c.shape(0);
        for (int i = 1; i < c.inputCount(); i++) s = Arguments.merge(s, c.shape(i));
        if (s.isRankKnown()) {
            require(
                    s.rank() > 0 && (s.dim(0) < 0 || s.dim(0) == 1),
                    INVALID_ARGUMENT,
                    "All input shapes must be 1 in the first dimension, got %s",
                    s);
            s = s.withDim(0, c.inputCount());
        }
        return List.of(c.input(0).withShape(Arguments.merge(s, shape)));
    }

    @Override
    public Kernel cpu() {
        return c -> Joins.run(c, 0, c.inputCount(), 0);
    }
}
