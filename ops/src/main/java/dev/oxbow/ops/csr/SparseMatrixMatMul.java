package dev.oxbow.ops.csr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Products of sparse with dense matrices, dense. */
@Signature(
        "SparseMatrixMatMul(a: variant, b: T) -> (output: T) {T: type; transpose_a: bool = false; transpose_b: bool = false; adjoint_a: bool = false; adjoint_b: bool = false; transpose_output: bool = false; conjugate_output: bool = false}")
public record SparseMatrixMatMul(
        boolean transposeA,
        boolean transposeB,
        boolean adjointA,
        boolean adjointB,
        boolean transposeOutput,
        boolean conjugateOutput)
        implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(c.input(1).dtype()));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor b = c.input(1);
            CsrMatrix a = Products.operand(CsrMatrix.of(c, 0, b.dtype()), transposeA, adjointA);
            require(!(transposeB && adjointB), INVALID_ARGUMENT, "only one of transpose_b and adjoint_b may be true");
            Shape s = b.shape();
            int rank = a.shape.rank();
            require(
                    s.rank() == rank && (rank == 2 || s.dim(0) == a.shape.dim(0)),
                    INVALID_ARGUMENT,
                    "matrices of shapes %s and %s cannot be multiplied",
                    a.shape,
                    s);
            boolean turned = transposeB || adjointB;
            long inner = s.dim(turned ? rank - 1 : rank - 2), columns = s.dim(turned ? rank - 2 : rank - 1);
            require(
                    inner == a.columns(),
                    INVALID_ARGUMENT,
                    "Inner dimensions of A and B do not agree: %s and %s",
                    a.shape,
                    s);
            Shape out = a.shape
                    .withDim(rank - 2, transposeOutput ? columns : a.rows())
                    .withDim(rank - 1, transposeOutput ? a.rows() : columns);
            new DenseProduct(a, b, turned, adjointB, transposeOutput, conjugateOutput).run(c.allocate(0, out));
        };
    }

    /** {@code da = dy b*} where a has elements, {@code db = a* dy}; with what was turned turned back. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0), b = g.input(1), dy = g.gradient(0);
        if (conjugateOutput) dy = dy.conj();
        if (transposeOutput) dy = Pruning.transposed(dy);
        Value right = adjointB ? Pruning.transposed(b).conj() : transposeB ? Pruning.transposed(b) : b;
        Value da = Pruning.product(a, b.dtype(), dy, right.conj(), transposeA || adjointA, adjointA);
        Value db;
        if (adjointA) db = times(a, false, dy);
        else if (transposeA) db = times(a, false, dy.conj()).conj();
        else db = times(a, true, dy);
        if (adjointB) db = Pruning.transposed(db).conj();
        else if (transposeB) db = Pruning.transposed(db);
        return List.of(da, db);
    }

    private static Value times(Value a, boolean adjoint, Value b) {
        return Value.apply(new SparseMatrixMatMul(false, false, adjoint, false, false, false), a, b);
    }
}
