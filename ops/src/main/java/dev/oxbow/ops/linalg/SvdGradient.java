package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import java.util.List;

/**
 * The gradient of singular values and vectors. For a of no more rows than columns, with
 * {@code f[i, j] = 1 / (s[j]^2 - s[i]^2)}:
 * {@code da = u (ds + (f u*du + its adjoint) s + s (f v*dv + its adjoint)) v* + u s^-1 dv* (1 - v v*)};
 * a tall matrix is handled as the adjoint of a wide one.
 */
final class SvdGradient {
    private SvdGradient() {}

    static List<Value> of(GradientContext g, boolean computeUv, boolean fullMatrices) {
        Value a = g.input(0), ds = Matrices.diagonalMatrix(g.gradient(0).cast(a.dtype()));
        if (!computeUv) {
            List<Value> parts = Value.applyAll(new Svd(true, false), a);
            return List.of(Matrices.product(parts.get(1), Matrices.product(ds, false, parts.get(2), true)));
        }
        Shape shape = a.shape();
        require(
                shape.isRankKnown() && shape.dim(-1) >= 0 && shape.dim(-2) >= 0,
                UNIMPLEMENTED,
                "the gradient needs known sizes of the matrices, got %s",
                shape);
        int m = Counts.toInt(shape.dim(-2)), n = Counts.toInt(shape.dim(-1));
        require(
                !fullMatrices || Math.abs(m - n) <= 1,
                UNIMPLEMENTED,
                "the gradient with full matrices needs at most one row or column more, got %s",
                shape);
        Value s = g.output(0).cast(a.dtype());
        boolean wide = m <= n;
        Value u = g.output(wide ? 1 : 2), v = g.output(wide ? 2 : 1);
        Value du = g.gradient(wide ? 1 : 2), dv = g.gradient(wide ? 2 : 1);
        Value da = ofWide(s, ds, u, v, du, dv, Math.min(m, n), m == n, fullMatrices);
        return List.of(wide ? da : Matrices.adjoint(da));
    }

    private static Value ofWide(
            Value s, Value ds, Value u, Value v, Value du, Value dv, int m, boolean square, boolean full) {
        Value sm = Matrices.diagonalMatrix(s), s2 = s.times(s);
        Value f =
                Matrices.withDiagonal(Matrices.safeReciprocal(s2.expandDims(-2).minus(s2.expandDims(-1))), s.times(0));
        Value inverse = Matrices.diagonalMatrix(Matrices.safeReciprocal(s));
        Value v1 = Matrices.columns(v, 0, m), dv1 = Matrices.columns(dv, 0, m);
        Value fu = f.times(Matrices.product(u, true, du, false)), vdv = Matrices.product(v1, true, dv1, false);
        Value fv = f.times(vdv);
        Value middle = ds.plus(Matrices.product(fu.plus(Matrices.adjoint(fu)), sm))
                .plus(Matrices.product(sm, fv.plus(Matrices.adjoint(fv))));
        Value da = Matrices.product(u, Matrices.product(middle, false, v1, true));
        if (!square) {
            Value rest = Matrices.adjoint(dv1);
            rest = rest.minus(Matrices.product(Matrices.product(rest, v1), false, v1, true));
            if (full) {
                Value v2 = Matrices.columns(v, m, -1), dv2 = Matrices.columns(dv, m, -1);
                rest = rest.minus(Matrices.product(Matrices.product(v1, true, dv2, false), false, v2, true));
            }
            da = da.plus(Matrices.product(Matrices.product(u, inverse), rest));
        }
        if (!s.dtype().isComplex()) return da;
        Value l = Matrices.diagonalMatrix(Matrices.diagonal(vdv));
        Value phase = Matrices.product(inverse, Matrices.adjoint(l).minus(l));
        return da.plus(
                Matrices.product(u, Matrices.product(phase, false, v1, true)).times(0.5));
    }
}
