package dev.oxbow.ops.csr;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The coordinates and values of sparse matrices, and their shape. */
@Signature(
        "CSRSparseMatrixToSparseTensor(sparse_matrix: variant) -> (indices: int64, values: type, dense_shape: int64) {type: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record CSRSparseMatrixToSparseTensor(@Attr("type") DType type) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(
                new TensorType(DType.I64, Shape.of(-1, -1)),
                new TensorType(type, Shape.of(-1)),
                new TensorType(DType.I64, Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            CsrMatrix m = CsrMatrix.of(c, 0, type);
            int rank = m.shape.rank(), n = m.count();
            Tensor indices = c.allocate(0, Shape.of(n, rank)), values = c.allocate(1, Shape.of(n));
            long to = 0;
            for (int b = 0; b < m.batch.size(); b++) {
                CsrMatrix.Rows r = m.batch.get(b);
                Numbers.fill(values, to, r.values());
                for (int i = 0; i < m.rows(); i++)
                    for (int k = r.starts()[i]; k < r.starts()[i + 1]; k++, to++) {
                        if (rank == 3) indices.setLong(to * 3, b);
                        indices.setLong(to * rank + rank - 2, i);
                        indices.setLong(to * rank + rank - 1, r.columns()[k]);
                    }
            }
            Tensor shape = c.allocate(2, Shape.of(rank));
            for (int i = 0; i < rank; i++) shape.setLong(i, m.shape.dim(i));
        };
    }

    /** {@code dy} of the values at the same coordinates. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(new SparseTensorToCSRSparseMatrix(), g.output(0), g.gradient(1), g.output(2)));
    }
}
