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
import java.util.List;

/** Products of sparse matrices. */
@Signature(
        "SparseMatrixSparseMatMul(a: variant, b: variant) -> (c: variant) {type: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]; transpose_a: bool = false; transpose_b: bool = false; adjoint_a: bool = false; adjoint_b: bool = false}")
public record SparseMatrixSparseMatMul(
        @Attr("type") DType type, boolean transposeA, boolean transposeB, boolean adjointA, boolean adjointB)
        implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            CsrMatrix a = Products.operand(CsrMatrix.of(c, 0, type), transposeA, adjointA);
            CsrMatrix b = Products.operand(CsrMatrix.of(c, 1, type), transposeB, adjointB);
            Products.product(a, b).give(c, 0);
        };
    }

    /** {@code da = dy b*} and {@code db = a* dy}, where a and b have elements. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0), b = g.input(1), dy = g.gradient(0);
        Value da = product(dy, false, operand(b, transposeB, adjointB), true);
        Value db = product(operand(a, transposeA, adjointA), true, dy, false);
        return List.of(
                Pruning.of(a, type, dense(operand(da, transposeA, adjointA))),
                Pruning.of(b, type, dense(operand(db, transposeB, adjointB))));
    }

    private Value product(Value a, boolean adjointOfA, Value b, boolean adjointOfB) {
        return Value.apply(new SparseMatrixSparseMatMul(type, false, false, adjointOfA, adjointOfB), a, b);
    }

    private Value operand(Value m, boolean transpose, boolean adjoint) {
        return transpose || adjoint ? Value.apply(new SparseMatrixTranspose(adjoint, type), m) : m;
    }

    private Value dense(Value m) {
        return Value.apply(new CSRSparseMatrixToDense(type), m);
    }
}
