package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Tridiagonal;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code y[i] = superdiag[i] x[i + 1] + maindiag[i] x[i] + subdiag[i] x[i - 1]}. */
@Signature(
        "TridiagonalMatMul(superdiag: T, maindiag: T, subdiag: T, rhs: T) -> (output: T) {T: type in [DOUBLE FLOAT COMPLEX64 COMPLEX128]}")
public record TridiagonalMatMul() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = Matrices.matrices(c, 3);
        for (int i = 0; i < 3; i++) {
            Shape d = Matrices.matrices(c, i), batch = Matrices.batch(d).merge(Matrices.batch(x));
            long one = Matrices.dim(d, -2), n = Matrices.dim(d, -1), rows = Matrices.dim(x, -2);
            require(
                    batch != null && (one < 0 || one == 1) && (n < 0 || rows < 0 || n == rows),
                    INVALID_ARGUMENT,
                    "diagonals and rhs do not fit: %s and %s",
                    d,
                    x);
        }
        return List.of(c.input(3).withShape(x));
    }

    @Override
    public Kernel cpu() {
        return c -> Tridiagonal.multiply(c.input(0), c.input(1), c.input(2), c.input(3), c.output(0), c.parallel());
    }

    /** Products of the gradient with shifted rows of {@code x}, and with the adjoint diagonals. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(3).conj(), dy = g.gradient(0);
        Value sup = Matrices.adjoint(g.input(0)),
                main = Matrices.adjoint(g.input(1)),
                sub = Matrices.adjoint(g.input(2));
        Value dx = TridiagonalGradients.down(sup.times(dy))
                .plus(main.times(dy))
                .plus(TridiagonalGradients.up(sub.times(dy)));
        return List.of(
                TridiagonalGradients.up(x).times(dy).sum(-1).expandDims(-2),
                x.times(dy).sum(-1).expandDims(-2),
                TridiagonalGradients.down(x).times(dy).sum(-1).expandDims(-2),
                dx);
    }
}
