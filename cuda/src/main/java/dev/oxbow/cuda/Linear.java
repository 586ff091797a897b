package dev.oxbow.cuda;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** {@code y = a b + more}, which is a bias, rectified on request, or a matrix of the result's shape. */
@Signature(
        "_Linear(a: T, b: T, more: T) -> (y: T) {T: type; transpose_a: bool = false; transpose_b: bool = false; relu: bool = false}")
public record Linear(boolean transposeA, boolean transposeB, boolean relu) implements ProductThen {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        boolean matrix = c.shape(2).isRankKnown() && c.shape(2).rank() == 2;
        if (relu || !matrix) c.vector(2);
        return ProductThen.super.infer(c);
    }

    @Override
    public List<Expr> then(Expr product, Expr more) {
        Expr sum = product.plus(more);
        return List.of(relu ? sum.relu() : sum);
    }
}
