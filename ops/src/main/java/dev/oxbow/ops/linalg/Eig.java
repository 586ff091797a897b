package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.MatrixFunctions;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Eigenvalues and eigenvectors as columns of any square matrices. */
@Signature(
        "Eig(input: T) -> (e: Tout, v: Tout) {compute_v: bool = true; T: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]; Tout: type in [COMPLEX64 COMPLEX128]}")
public record Eig(boolean computeV, @Attr("Tout") DType tout) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.square(c, 0);
        Shape e = Matrices.batch(a).concat(Shape.of(Matrices.dim(a, -1)));
        return List.of(new TensorType(tout, e), new TensorType(tout, computeV ? a : Shape.of(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> MatrixFunctions.eigen(c.input(0), c.output(0), computeV ? c.output(1) : null, c.parallel());
    }

    /**
     * {@code v* da = (diag(de) + f (v* dv - v* v diag(real(v* dv)))) v*} with {@code f[i, j] = conj(1 / (e[j] - e[i]))},
     * for eigenvalues that differ.
     */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value e = g.output(0), middle = Matrices.diagonalMatrix(g.gradient(0));
        Value v = computeV
                ? g.output(1)
                : Value.applyAll(new Eig(true, tout), g.input(0)).get(1);
        if (computeV) {
            Value f = Matrices.safeReciprocal(e.expandDims(-2).minus(e.expandDims(-1)));
            f = Matrices.withDiagonal(f, e.times(0)).conj();
            Value turned = Matrices.product(v, true, g.gradient(1), false);
            Value along =
                    Matrices.diagonalMatrix(Matrices.diagonal(turned).real().cast(tout));
            Value across = turned.minus(Matrices.product(Matrices.product(v, true, v, false), along));
            middle = middle.plus(f.times(across));
        }
        Value right = Matrices.product(middle, false, v, true);
        Value da = Value.apply(new MatrixSolve(false), Matrices.adjoint(v), right);
        DType in = g.node().input(0).type().dtype();
        return List.of(in.isComplex() ? da : da.real().cast(in));
    }
}
