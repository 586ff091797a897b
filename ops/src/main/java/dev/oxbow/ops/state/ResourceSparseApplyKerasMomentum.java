package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of KerasMomentum of rows of variables, see {@link OptimizerFormulas#kerasMomentum}. */
@Signature(
        "ResourceSparseApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; use_nesterov: bool = false} stateful")
public record ResourceSparseApplyKerasMomentum(boolean useNesterov) implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.kerasMomentum(x, useNesterov);
    }
}
