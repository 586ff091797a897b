package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The gradient of least squares: {@code x = (a* a + l2)^-1 a* b} for tall matrices, {@code x = a* (a a* + l2)^-1 b} for wide ones. */
final class LeastSquaresGradient {
    private LeastSquaresGradient() {}

    static List<Value> of(GradientContext g) {
        Value a = g.input(0), b = g.input(1), x = g.output(0), dx = g.gradient(0);
        Shape s = a.shape();
        require(
                s.isRankKnown() && s.dim(-1) >= 0 && s.dim(-2) >= 0,
                UNIMPLEMENTED,
                "the gradient needs known sizes of the matrices, got %s",
                s);
        boolean tall = s.dim(-2) >= s.dim(-1);
        Value gram = tall ? Matrices.product(a, true, a, false) : Matrices.product(a, false, a, true);
        gram = gram.plus(Matrices.identityLike(gram).times(g.input(2).cast(a.dtype())));
        Value l = Value.apply(new Cholesky(), gram);
        if (tall) {
            Value z = solve(l, dx), xz = Matrices.product(x, false, z, true);
            Value symmetric = xz.plus(Matrices.transposed(xz));
            Value da = Matrices.product(b, false, z, true).minus(Matrices.product(a, symmetric));
            return Arrays.asList(da, Matrices.product(a, z), null);
        }
        Value db = solve(l, Matrices.product(a, dx)), y = solve(l, b);
        Value first = Matrices.product(db, Matrices.product(y, true, a, false)).negated();
        Value rest = dx.minus(Matrices.product(a, true, db, false));
        return Arrays.asList(first.plus(Matrices.product(y, false, rest, true)), db, null);
    }

    private static Value solve(Value l, Value b) {
        Value y = Value.apply(new MatrixTriangularSolve(true, false), l, b);
        return Value.apply(new MatrixTriangularSolve(true, true), l, y);
    }
}
