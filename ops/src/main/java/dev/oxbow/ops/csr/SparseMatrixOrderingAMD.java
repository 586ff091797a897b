package dev.oxbow.ops.csr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** An order of the rows of each matrix in which few elements fill in when it is factorised. */
@Signature("SparseMatrixOrderingAMD(input: variant) -> (output: int32)")
public record SparseMatrixOrderingAMD() implements Op, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I32, Shape.UNKNOWN));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            CsrMatrix m = CsrMatrix.of(c, 0, null);
            require(m.rows() == m.columns(), INVALID_ARGUMENT, "the matrix must be square, got %s", m.shape);
            Tensor y = c.allocate(0, m.shape.slice(0, m.shape.rank() - 1));
            long to = 0;
            for (CsrMatrix.Rows r : m.batch) for (int i : Factors.order(r, m.rows())) y.setLong(to++, i);
        };
    }
}
