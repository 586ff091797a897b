package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of AdagradDA of rows of variables, see {@link OptimizerFormulas#adagradDa}. */
@Signature(
        "ResourceSparseApplyAdagradDA(var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad: T, indices: Tindices, lr: T, l1: T, l2: T, global_step: int64) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false} stateful")
public record ResourceSparseApplyAdagradDA() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adagradDa(x);
    }
}
