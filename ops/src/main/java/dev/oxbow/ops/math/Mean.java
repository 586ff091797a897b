package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Mean over axes: {@code y = sum(x) / n}. */
@Signature(
        "Mean(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [NUMBER]; Tidx: type in [INT32 INT64] = INT32}")
public record Mean(boolean keepDims) implements Differentiable, AxisReduction {

    @Override
    public Operation operation() {
        return Operation.MEAN;
    }

    /** {@code dx = dy / n}, broadcast back along the axes. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.output(0), one = g.ops().constant(DType.I32, 1);
        Value n = Value.apply(new FloorDiv(), x.runtimeSize(), y.runtimeSize().maximum(one));
        Value dx = AxisReduction.spread(g, g.gradient(0));
        return Arrays.asList(dx.dividedBy(n.cast(dx.dtype())), null);
    }
}
