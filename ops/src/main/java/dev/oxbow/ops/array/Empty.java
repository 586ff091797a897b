package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.DType;
import java.util.List;

/** A tensor of a given shape whose elements do not matter; they are zeros. */
@Signature("Empty(shape: int32) -> (output: dtype) {dtype: type; init: bool = false} stateful")
public record Empty(DType dtype, boolean init) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("shape", c.shape(0), 1);
        return List.of(new TensorType(dtype, c.shapeValue(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> Fills.zero(c.output(0));
    }
}
