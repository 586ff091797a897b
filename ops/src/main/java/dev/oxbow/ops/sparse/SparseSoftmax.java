package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.GatherNd;
import dev.oxbow.ops.array.ScatterNd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Softmax over the entries of each row of the last dimension; what is not there counts as minus infinity. */
@Signature(
        "SparseSoftmax(sp_indices: int64, sp_values: T, sp_shape: int64) -> (output: T) {T: type in [HALF FLOAT DOUBLE]}")
public record SparseSoftmax() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(1));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates x = Coordinates.of(c.input(0), c.input(1), c.input(2)).inside();
            require(x.rank() >= 2, INVALID_ARGUMENT, "Input should have rank >= 2, but got %d", x.rank());
            Map<List<Long>, List<Integer>> groups = new HashMap<>();
            for (int k = 0; k < x.count(); k++) {
                long[] row = Arrays.copyOf(x.rows()[k], x.rank() - 1);
                groups.computeIfAbsent(Arrays.stream(row).boxed().toList(), _ -> new ArrayList<>())
                        .add(k);
            }
            for (List<Integer> group : groups.values()) {
                double max = Double.NEGATIVE_INFINITY, sum = 0;
                for (int k : group) max = Math.max(max, x.values().getDouble(k));
                for (int k : group) sum += Math.exp(x.values().getDouble(k) - max);
                for (int k : group) c.output(0).set(k, Math.exp(x.values().getDouble(k) - max) / sum);
            }
        };
    }

    /** {@code dx = y (dy - sum(y dy))}, the sum over the entries of the row. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value indices = g.input(0), y = g.output(0), dy = g.gradient(0), shape = g.input(2);
        Value products = Value.apply(new ScatterNd(), indices, y.times(dy), shape);
        Value sums =
                Value.apply(new GatherNd(), Value.apply(new BroadcastTo(), products.sum(true, -1), shape), indices);
        return Arrays.asList(null, y.times(dy.minus(sums)), null);
    }
}
