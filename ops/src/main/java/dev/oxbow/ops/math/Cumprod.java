package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.Scan;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Running products along an axis. */
@Signature(
        "Cumprod(x: T, axis: Tidx) -> (out: T) {exclusive: bool = false; reverse: bool = false; T: type in [NUMBER]; Tidx: type in [INT32 INT64] = INT32}")
public record Cumprod(boolean exclusive, boolean reverse) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Scans.infer(c);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        Long along = c.number(1);
        if (along == null || axis == Math.floorMod(along, (long) c.shape(0).rank())) return null;
        return Pieces.along(axis, outputs, axis, Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return Scans.kernel(Scan.Operation.PROD, exclusive, reverse);
    }

    /** {@code dx} = running sums of y dy the other way, divided by x. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), axis = g.input(1), product = Value.apply(this, x, axis);
        Value sums = Value.apply(new Cumsum(exclusive, !reverse), product.times(g.gradient(0)), axis);
        return Arrays.asList(Value.apply(new DivNoNan(), sums, x), null);
    }
}
