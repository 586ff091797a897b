package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.kernels.move.Scatter;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Zeros of a given shape with updates added at coordinates. */
@Signature(
        "ScatterNd(indices: Tindices, updates: T, shape: Tindices) -> (output: T) {T: type; Tindices: type in [INT16 INT32 INT64]; bad_indices_policy: string = \"\"}")
public record ScatterNd() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("shape", c.shape(2), 1);
        Shape to = c.shapeValue(2);
        Scatters.check(to, c.shape(0), c.shape(1));
        return List.of(c.input(1).withShape(to));
    }

    @Override
    public Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis < c.shape(0).rank() - 1 ? Pieces.summands(outputs, axis, axis, Pieces.WHOLE) : null;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            Fills.zero(y);
            if (c.input(1).size() > 0)
                Scatter.nd(
                        y,
                        c.input(0),
                        c.input(1),
                        c.input(1).dtype() == DType.BOOL ? Combine.MAX : Combine.ADD,
                        c.memory(),
                        c.parallel());
        };
    }

    /** {@code dupdates[i] = dy[indices[i]]}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(null, Scatters.at(g.gradient(0), g.input(0)), null);
    }
}
