package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code q r = a} with unitary q and upper triangular r. */
@Signature(
        "Qr(input: T) -> (q: T, r: T) {full_matrices: bool = false; T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record Qr(boolean fullMatrices) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.matrices(c, 0), batch = Matrices.batch(a);
        long m = Matrices.dim(a, -2), n = Matrices.dim(a, -1), least = m < 0 || n < 0 ? -1 : Math.min(m, n);
        long inner = fullMatrices ? m : least;
        return List.of(
                c.input(0).withShape(Matrices.of(batch, m, inner)), c.input(0).withShape(Matrices.of(batch, inner, n)));
    }

    @Override
    public Kernel cpu() {
        return c -> LinearAlgebra.qr(c.input(0), c.output(0), c.output(1), c.parallel());
    }

    /** For square and tall matrices in closed form; a wide one is its square part beside the rest. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value q = g.output(0), r = g.output(1), dq = g.gradient(0), dr = g.gradient(1);
        long rows = q.shape().dim(-2), columns = r.shape().dim(-1);
        require(
                rows >= 0 && columns >= 0 && !(fullMatrices && rows > columns),
                UNIMPLEMENTED,
                "the gradient needs known sizes and no full matrices of more rows than columns, got %s",
                g.input(0).shape());
        if (rows >= columns) return List.of(ofTall(q, r, dq, dr));
        int m = Counts.toInt(rows);
        Value y = Matrices.columns(g.input(0), m, -1), dv = Matrices.columns(dr, m, -1);
        Value dx = ofTall(
                q,
                Matrices.columns(r, 0, m),
                dq.plus(Matrices.product(y, false, dv, true)),
                Matrices.columns(dr, 0, m));
        Value dy = Matrices.product(q, dv);
        return List.of(Value.apply(new ConcatV2(), dx, dy, q.ops().constant(DType.I32, -1)));
    }

    private static Value ofTall(Value q, Value r, Value dq, Value dr) {
        Value qdq = Matrices.product(q, true, dq, false), rdr = Matrices.product(r, false, dr, true);
        Value skew = qdq.minus(Matrices.adjoint(qdq)).plus(rdr.minus(Matrices.adjoint(rdr)));
        Value da = Matrices.product(q, dr.plus(overAdjoint(Matrices.band(skew, -1, 0), r)))
                .plus(overAdjoint(dq.minus(Matrices.product(q, qdq)), r));
        if (!q.dtype().isComplex()) return da;
        Value d = Matrices.diagonal(rdr.minus(Matrices.adjoint(qdq)));
        Value phase = Matrices.diagonalMatrix(d.minus(d.real().cast(d.dtype())));
        return da.plus(overAdjoint(Matrices.product(q, false, phase, true), r));
    }

    /** {@code x r^-*}. */
    private static Value overAdjoint(Value x, Value r) {
        return Matrices.adjoint(Value.apply(new MatrixTriangularSolve(false, false), r, Matrices.adjoint(x)));
    }
}
