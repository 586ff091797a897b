package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.MatrixFunctions;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.MatrixDiagPartV3;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code x} of {@code a x = b} for triangular a given by its bands, or its adjoint; batch dimensions broadcast. */
@Signature(
        "BandedTriangularSolve(matrix: T, rhs: T) -> (output: T) {lower: bool = true; adjoint: bool = false; T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record BandedTriangularSolve(boolean lower, boolean adjoint) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.matrices(c, 0), b = Matrices.matrices(c, 1);
        long n = Matrices.dim(a, -1), rows = Matrices.dim(b, -2), bands = Matrices.dim(a, -2);
        Shape batch = Shape.broadcast(Matrices.batch(a), Matrices.batch(b));
        require(
                batch != null && (n < 0 || rows < 0 || n == rows) && (bands < 0 || n < 0 || bands >= 1 && bands <= n),
                INVALID_ARGUMENT,
                "bands and rhs do not fit: %s and %s",
                a,
                b);
        return List.of(c.input(1).withShape(Matrices.of(batch, Math.max(n, rows), Matrices.dim(b, -1))));
    }

    @Override
    public Kernel cpu() {
        return c -> MatrixFunctions.bandedSolve(c.input(0), c.input(1), lower, adjoint, c.output(0), c.parallel());
    }

    /** {@code db = a^-* dx}, {@code da} = the bands of {@code -db x*}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0), x = g.output(0);
        Value db = Value.apply(new BandedTriangularSolve(lower, !adjoint), a, g.gradient(0));
        Value da = adjoint ? Matrices.product(x, false, db, true) : Matrices.product(db, false, x, true);
        Value others = Value.apply(
                        new StridedSlice(0, 0, 0, 0, 1),
                        a.runtimeShape(),
                        a.ops().constant(new int[] {-2}),
                        a.ops().constant(new int[] {-1}),
                        a.ops().constant(new int[] {1}))
                .minus(1);
        Value zero = a.ops().constant(DType.I32, 0);
        Value k = lower ? Value.apply(new Pack(0), others.negated(), zero) : Value.apply(new Pack(0), zero, others);
        da = Value.apply(new MatrixDiagPartV3("LEFT_RIGHT"), da.negated(), k, da.constantLike(0));
        return Matrices.reduceBatch(a, g.input(1), da, db);
    }
}
