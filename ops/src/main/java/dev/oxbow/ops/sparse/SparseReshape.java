package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The coordinates of a sparse tensor in another shape; one dimension may be -1 and follows. */
@Signature(
        "SparseReshape(input_indices: int64, input_shape: int64, new_shape: int64) -> (output_indices: int64, output_shape: int64)")
public record SparseReshape() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("input_indices", c.shape(0), 2);
        Arguments.rank("input_shape", c.shape(1), 1);
        Arguments.rank("new_shape", c.shape(2), 1);
        long rank = c.shape(2).rank() == 1 ? c.shape(2).dim(0) : -1;
        long n = c.shape(0).rank() == 2 ? c.shape(0).dim(0) : -1;
        return List.of(new TensorType(DType.I64, Shape.of(n, rank)), new TensorType(DType.I64, Shape.of(rank)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates x = Coordinates.of(c.input(0), null, c.input(1));
            long size = Shape.of(x.shape()).size();
            long[] shape = resolve(Arguments.longs(c.input(2)), size);
            int rank = shape.length;
            require(
                    x.count() == 0 || size > 0,
                    INVALID_ARGUMENT,
                    "there are %d entries in the empty shape %s",
                    x.count(),
                    Arrays.toString(x.shape()));
            for (int i = 0; i < x.count(); i++) {
                long flat = 0;
                for (int d = 0; d < x.rank(); d++) flat = flat * x.shape()[d] + x.rows()[i][d];
                for (int d = rank - 1; d >= 0; d--) {
                    c.output(0).setLong((long) i * rank + d, flat % shape[d]);
                    flat /= shape[d];
                }
            }
            Coordinates.vector(c, 1, shape);
        };
    }

    private static long[] resolve(long[] wanted, long size) {
        long[] shape = wanted.clone();
        int open = -1;
        for (int d = 0; d < shape.length; d++) {
            if (shape[d] == -1) {
                require(open < 0, INVALID_ARGUMENT, "only one output dimension may be -1, not both %d and %d", open, d);
                open = d;
            } else {
                require(shape[d] >= 0, INVALID_ARGUMENT, "size %d must be non-negative, not %d", d, shape[d]);
            }
        }
        if (open >= 0) {
            shape[open] = 1;
            long product = Shape.of(shape).size();
            require(
                    product > 0 && size % product == 0,
                    INVALID_ARGUMENT,
                    "Input to reshape is a SparseTensor with %d dense values, but the requested shape requires a multiple of %d",
                    size,
                    product);
            shape[open] = size / product;
        }
        require(
                Shape.of(shape).size() == size,
                INVALID_ARGUMENT,
                "Input to reshape is a tensor with %d dense values, but the requested shape has %d",
                size,
                Shape.of(shape).size());
        return shape;
    }
}
