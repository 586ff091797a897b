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
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Sparse matrices with all their zeros. */
@Signature(
        "CSRSparseMatrixToDense(sparse_input: variant) -> (dense_output: type) {type: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record CSRSparseMatrixToDense(@Attr("type") DType type) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(type));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            CsrMatrix m = CsrMatrix.of(c, 0, type);
            Tensor y = c.allocate(0, m.shape);
            Memory.zero(y.address(), y.byteSize());
            int parts = m.parts();
            long at = 0;
            for (CsrMatrix.Rows r : m.batch)
                for (int i = 0; i < m.rows(); i++, at += m.columns())
                    for (int k = r.starts()[i]; k < r.starts()[i + 1]; k++)
                        for (int p = 0; p < parts; p++)
                            Numbers.set(y, at + r.columns()[k], p, r.values()[k * parts + p]);
        };
    }

    /** The elements of {@code dy} where the matrix has some. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Pruning.of(g.input(0), type, g.gradient(0)));
    }
}
