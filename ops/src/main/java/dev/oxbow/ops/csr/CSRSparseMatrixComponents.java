package dev.oxbow.ops.csr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
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

/** Where the rows of one matrix of a batch begin, the columns of its elements, and their values. */
@Signature(
        "CSRSparseMatrixComponents(csr_sparse_matrix: variant, index: int32) -> (row_ptrs: int32, col_inds: int32, values: type) {type: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record CSRSparseMatrixComponents(@Attr("type") DType type) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        TensorType ints = new TensorType(DType.I32, Shape.of(-1));
        return List.of(ints, ints, new TensorType(type, Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            CsrMatrix m = CsrMatrix.of(c, 0, type);
            long index = c.input(1).getLong(0);
            require(
                    index >= 0 && index < m.batch.size(),
                    INVALID_ARGUMENT,
                    "index (%d) not in [0, %d)",
                    index,
                    m.batch.size());
            CsrMatrix.Rows r = m.batch.get((int) index);
            Tensor starts = c.allocate(0, Shape.of(r.starts().length)), columns = c.allocate(1, Shape.of(r.count()));
            for (int i = 0; i < r.starts().length; i++) starts.setLong(i, r.starts()[i]);
            for (int i = 0; i < r.count(); i++) columns.setLong(i, r.columns()[i]);
            Numbers.fill(c.allocate(2, Shape.of(r.count())), 0, r.values());
        };
    }
}
