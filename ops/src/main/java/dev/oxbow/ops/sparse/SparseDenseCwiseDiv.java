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

/** The values of a sparse tensor divided by a dense one broadcast to its shape. */
@Signature(
        "SparseDenseCwiseDiv(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> (output: T) {T: type in [NUMBER]}")
public record SparseDenseCwiseDiv() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return CwiseDense.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> CwiseDense.run(c, Combine.DIV);
    }

    /** {@code dx = dy / b}, {@code db = -dy x / b^2}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), b = CwiseDense.at(g, g.input(3)), dx = dy.dividedBy(b);
        Value db = dx.times(g.input(1)).dividedBy(b).negated();
        return Arrays.asList(null, dx, null, CwiseDense.spread(g, db));
    }
}
