package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.BinaryOp;

/** The derivative by alpha of a sample of the gamma distribution with shape alpha. */
@Signature("RandomGammaGrad(alpha: T, sample: T) -> (output: T) {T: type in [FLOAT DOUBLE]}")
public record RandomGammaGrad() implements BinaryOp {

    @Override
    public Expr expression(Expr alpha, Expr sample) {
        return alpha.special(Special.RANDOM_GAMMA_GRAD, sample);
    }
}
