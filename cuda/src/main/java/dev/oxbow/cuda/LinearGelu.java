package dev.oxbow.cuda;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** {@code x = a b + bias} and {@code y = gelu(x)}, by tanh. */
@Signature("_LinearGelu(a: T, b: T, bias: T) -> (y: T, x: T) {T: type; transpose_a: bool = false; transpose_b: bool ="
        + " false}")
public record LinearGelu(boolean transposeA, boolean transposeB) implements ProductThen {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(2);
        TensorType x = ProductThen.super.infer(c).getFirst();
        return List.of(x, x);
    }

    @Override
    public List<Expr> then(Expr product, Expr bias) {
        Expr sum = product.plus(bias);
        return List.of(GeluFormulas.value(sum), sum);
    }
}
