package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** The values of a sparse tensor times a dense one broadcast to its shape. */
@Signature(
        "SparseDenseCwiseMul(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> (output: T) {T: type in [NUMBER]}")
public record SparseDenseCwiseMul() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return CwiseDense.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> CwiseDense.run(c, Combine.MUL);
    }

    /** {@code dx = dy b}, {@code db = dy x}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0);
        Value dx = dy.times(CwiseDense.at(g, g.input(3)));
        return Arrays.asList(null, dx, null, CwiseDense.spread(g, dy.times(g.input(1))));
    }
}
