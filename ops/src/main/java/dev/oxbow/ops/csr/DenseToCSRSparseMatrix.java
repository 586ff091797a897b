package dev.oxbow.ops.csr;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The elements of dense matrices at these coordinates, as sparse ones. */
@Signature(
        "DenseToCSRSparseMatrix(dense_input: T, indices: int64) -> (sparse_output: variant) {T: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record DenseToCSRSparseMatrix() implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(1, 2);
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), indices = c.input(1);
            CsrMatrix.check(indices, x.shape());
            CsrMatrix.of(x.dtype(), x.shape(), indices, x, Coordinates.positions(indices, x.shape()))
                    .give(c, 0);
        };
    }

    /** {@code dx} is {@code dy}, dense. */
    @Override
    public List<Value> gradient(GradientContext g) {
        DType dtype = g.node().input(0).type().dtype();
        return Arrays.asList(Value.apply(new CSRSparseMatrixToDense(dtype), g.gradient(0)), null);
    }
}
