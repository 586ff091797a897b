package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.InvertPermutation;
import dev.oxbow.ops.array.ListDiff;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.Range;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Product over axes. */
@Signature(
        "Prod(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [NUMBER]; Tidx: type in [INT32 INT64] = INT32}")
public record Prod(boolean keepDims) implements Differentiable, AxisReduction {

    @Override
    public Operation operation() {
        return Operation.PROD;
    }

    /**
     * {@code dx} = dy times the product of the other elements. These are what lies left of an element times what lies
     * right of it, so that zeros need no division: reduced axes go first and become one, then two exclusive scans.
     */
    @Override
    public List<Value> gradient(GradientContext g) {
        Ops ops = g.ops();
        Value x = g.input(0), zero = ops.constant(DType.I32, 0), one = ops.constant(DType.I32, 1);
        Value rank = x.runtimeRank();
        Value axes = Value.apply(new FloorMod(), g.input(1).cast(DType.I32).plus(rank), rank);
        axes = axes.reshape(-1);
        Value all = Value.apply(new Range(), zero, rank, one);
        Value others = Value.applyAll(new ListDiff(DType.I32), all, axes).get(0);
        Value permutation = Value.apply(new ConcatV2(), axes, others, zero);
        Value moved = Value.apply(new Transpose(), x, permutation);
        Value shape = x.runtimeShape();
        Value reduced = Value.apply(new Prod(false), shape.gather(axes, 0), zero);
        Value kept = Value.apply(new Prod(false), shape.gather(others, 0), zero);
        Value matrix = moved.reshape(Value.apply(new Pack(0), reduced, kept));
        Value left = Value.apply(new Cumprod(true, false), matrix, zero);
        Value right = Value.apply(new Cumprod(true, true), matrix, zero);
        Value product = left.conj().times(right.conj()).reshape(moved.runtimeShape());
        Value back = Value.apply(new Transpose(), product, Value.apply(new InvertPermutation(), permutation));
        Value dx = AxisReduction.spread(g, g.gradient(0)).times(back);
        return Arrays.asList(dx.reshape(shape), null);
    }
}
