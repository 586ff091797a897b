package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gradient of {@code FractionalAvgPool}: each gradient in equal parts; the input is given by its shape. */
@Signature(
        "FractionalAvgPoolGrad(orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64) -> (output: T) {overlapping: bool = false; T: type in [FLOAT DOUBLE INT32 INT64]}")
public record FractionalAvgPoolGrad(boolean overlapping) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(2);
        c.vector(3);
        Shape x = c.shapeValue(0).isRankKnown() ? c.shapeValue(0) : Shape.ofRank(4);
        require(x.rank() == 4, INVALID_ARGUMENT, "original input must be 4-dimensional, got %s", x);
        return List.of(c.input(1).withShape(x));
    }

    @Override
    public Kernel cpu() {
        return c -> FractionalPools.gradient(null, c.input(1), c.input(2), c.input(3), overlapping, c.output(0));
    }
}
