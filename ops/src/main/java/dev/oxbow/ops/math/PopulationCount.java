package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.UnaryOp;

/** The number of ones among the bits. */
@Signature("PopulationCount(x: T) -> (y: uint8) {T: type in [INTEGER]}")
public record PopulationCount() implements UnaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x) {
        return x.populationCount();
    }
}
