package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** The k greatest elements of each row and their positions. */
@Signature(
        "TopKV2(input: T, k: Tk) -> (values: T, indices: index_type) {sorted: bool = true; T: type in [REAL]; Tk: type in [INT16 INT32 INT64] = INT32; index_type: type in [INT16 INT32 INT64] = INT32}")
public record TopKV2(boolean sorted, DType indexType) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("k", c.shape(1));
        long[] k = c.longs(1);
        if (k != null) require(k[0] >= 0, INVALID_ARGUMENT, "Need k >= 0, got %d", k[0]);
        return TopElements.infer(c, k == null ? -1 : k[0], indexType);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == c.shape(0).rank() - 1 ? null : Pieces.along(axis, outputs, axis, Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return c -> TopElements.run(c, sorted);
    }

    /** dy at the indices. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(TopElements.gradient(g), null);
    }
}
