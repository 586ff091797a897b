package dev.oxbow.graph.core;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A value that must be fed. */
@Signature("Placeholder() -> (output: dtype) {dtype: type; shape: shape = shape { unknown_rank: true }}")
public record Placeholder(DType dtype, Shape shape) implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(dtype, shape));
    }

    @Override
    public Effects effects() {
        return Effects.READS;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "You must feed a value for placeholder tensor '%s' with dtype %s and shape %s"
                            .formatted(c.node(), dtype.inWords(), shape));
        };
    }
}
