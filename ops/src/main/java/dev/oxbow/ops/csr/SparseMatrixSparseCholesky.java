package dev.oxbow.ops.csr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The lower Cholesky factors of matrices whose rows and columns are taken in this order. */
@Signature(
        "SparseMatrixSparseCholesky(input: variant, permutation: int32) -> (output: variant) {type: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record SparseMatrixSparseCholesky(@Attr("type") DType type) implements Op, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            CsrMatrix m = CsrMatrix.of(c, 0, type);
            Tensor order = c.input(1);
            int n = m.rows();
            require(n == m.columns(), INVALID_ARGUMENT, "the matrix must be square, got %s", m.shape);
            require(
                    order.shape().equals(m.shape.slice(0, m.shape.rank() - 1)),
                    INVALID_ARGUMENT,
                    "permutation must be %s, got %s",
                    m.shape.slice(0, m.shape.rank() - 1),
                    order.shape());
            long[] all = Arguments.longs(order);
            List<CsrMatrix.Rows> factors = new ArrayList<>();
            for (int b = 0; b < m.batch.size(); b++)
                factors.add(
                        Factors.cholesky(m.batch.get(b), n, m.parts(), Arrays.copyOfRange(all, b * n, (b + 1) * n)));
            new CsrMatrix(type, m.shape, List.copyOf(factors)).give(c, 0);
        };
    }
}
