package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The number of different elements in each set of the last dimension of a sparse tensor. */
@Signature(
        "SetSize(set_indices: int64, set_values: T, set_shape: int64) -> (size: int32) {validate_indices: bool = true; T: type in [INT8 INT16 INT32 INT64 UINT8 UINT16 STRING]}")
public record SetSize(boolean validateIndices) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        long[] shape = c.longs(2);
        if (shape == null || shape.length == 0) return List.of(TensorType.of(DType.I32));
        return List.of(new TensorType(DType.I32, Shape.of(Arrays.copyOf(shape, shape.length - 1))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            Sets.Groups sets = Sets.sparse(c.input(0), c.input(1), c.input(2), validateIndices);
            Memory.zero(y.address(), y.byteSize());
            long[] strides = y.shape().strides();
            sets.sets().forEach((group, set) -> {
                long at = 0;
                for (int d = 0; d < strides.length; d++) {
                    require(
                            group[d] >= 0 && group[d] < y.shape().dim(d),
                            INVALID_ARGUMENT,
                            "group %s is outside of %s",
                            Arrays.toString(group),
                            y.shape());
                    at += group[d] * strides[d];
                }
                y.setLong(at, set.size());
            });
        };
    }
}
