package dev.oxbow.cuda;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** {@code dx = (a b) gelu'(x)}, by tanh. */
@Signature(
        "_LinearGeluGrad(a: T, b: T, x: T) -> (dx: T) {T: type; transpose_a: bool = false; transpose_b: bool = false}")
public record LinearGeluGrad(boolean transposeA, boolean transposeB) implements ProductThen {

    @Override
    public List<Expr> then(Expr product, Expr x) {
        return List.of(GeluFormulas.gradient(product, x));
    }
}
