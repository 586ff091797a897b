package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Gradient of {@code FractionalMaxPool}: each gradient goes to the first largest element of its interval. */
@Signature(
        "FractionalMaxPoolGrad(orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64) -> (output: T) {overlapping: bool = false; T: type in [FLOAT DOUBLE INT32 INT64]}")
public record FractionalMaxPoolGrad(boolean overlapping) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 4);
        c.sameShape(1, 2);
        c.vector(3);
        c.vector(4);
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> FractionalPools.gradient(c.input(0), c.input(2), c.input(3), c.input(4), overlapping, c.output(0));
    }
}
