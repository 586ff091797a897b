package dev.oxbow.ops.csr;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How many elements each matrix has. */
@Signature("SparseMatrixNNZ(sparse_matrix: variant) -> (nnz: int32)")
public record SparseMatrixNNZ() implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I32, Shape.UNKNOWN));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            CsrMatrix m = CsrMatrix.of(c, 0, null);
            Tensor y = c.allocate(0, m.shape.slice(0, m.shape.rank() - 2));
            for (int b = 0; b < m.batch.size(); b++) y.setLong(b, m.batch.get(b).count());
        };
    }
}
