package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Slices of the first dimension at given indices. */
@Signature(
        "Gather(params: Tparams, indices: Tindices) -> (output: Tparams) {validate_indices: bool = true; Tparams: type; Tindices: type in [INT32 INT64]}")
public record Gather() implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.atLeast("params", c.shape(0), 1);
        Shape x = c.shape(0);
        Shape y = x.isRankKnown() ? c.shape(1).concat(x.slice(1, x.rank())) : Shape.UNKNOWN;
        return List.of(c.input(0).withShape(y));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            Tensor y = c.isAllocated(0)
                    ? c.output(0)
                    : c.allocate(
                            0,
                            c.input(1)
                                    .shape()
                                    .concat(x.shape().slice(1, x.shape().rank())));
            dev.oxbow.kernels.move.Gather.run(x, c.input(1), 0, 0, y, c.parallel());
        };
    }

    /** {@code dx[indices[i]] += dy[i]}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Gathers.rows(g.input(0), g.input(1), g.gradient(0)), null);
    }
}
