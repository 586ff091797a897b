package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** The dimensions in another order: dimension i of y is dimension perm[i] of x. */
@Signature("Transpose(x: T, perm: Tperm) -> (y: T) {T: type; Tperm: type in [INT32 INT64] = INT32}")
public record Transpose() implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Permutations.infer(c)));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        long[] order = c.longs(1);
        if (order == null) return null;
        Pieces cut = new Pieces(
                new int[] {(int) Math.floorMod(order[axis], (long) order.length), Pieces.WHOLE}, new int[] {axis}, 1);
        return order.length > 1 ? cut : cut.apart();
    }

    @Override
    public Kernel cpu() {
        return c -> Permutations.run(c);
    }

    /** {@code dx} = dy in the inverse order. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value inverse = Value.apply(new InvertPermutation(), g.input(1));
        return Arrays.asList(Value.apply(this, g.gradient(0), inverse), null);
    }
}
