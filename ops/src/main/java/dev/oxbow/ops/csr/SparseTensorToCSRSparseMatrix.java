package dev.oxbow.ops.csr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Values at coordinates as sparse matrices. */
@Signature(
        "SparseTensorToCSRSparseMatrix(indices: int64, values: T, dense_shape: int64) -> (sparse_matrix: variant) {T: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record SparseTensorToCSRSparseMatrix() implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 2);
        c.vector(1);
        c.vector(2);
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor indices = c.input(0), values = c.input(1);
            long[] dims = Arguments.longs(c.input(2));
            for (long d : dims) require(d >= 0, INVALID_ARGUMENT, "dense_shape must not be negative, got %d", d);
            Shape shape = Shape.of(dims);
            CsrMatrix.check(indices, shape);
            require(
                    values.size() == indices.shape().dim(0),
                    INVALID_ARGUMENT,
                    "there are %d values and %d indices",
                    values.size(),
                    indices.shape().dim(0));
            CsrMatrix.of(values.dtype(), shape, indices, values, Coordinates.first(values.size()))
                    .give(c, 0);
        };
    }

    /** The values of {@code dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        DType dtype = g.node().input(1).type().dtype();
        Value values = Value.applyAll(new CSRSparseMatrixToSparseTensor(dtype), g.gradient(0))
                .get(1);
        return Arrays.asList(null, values, null);
    }
}
