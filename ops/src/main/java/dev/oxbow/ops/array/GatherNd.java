package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Slices at given coordinates: the last dimension of indices addresses the input. */
@Signature(
        "GatherNd(params: Tparams, indices: Tindices) -> (output: Tparams) {Tparams: type; Tindices: type in [INT16 INT32 INT64]; bad_indices_policy: string = \"\"}")
public record GatherNd() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.atLeast("params", c.shape(0), 1);
        Arguments.atLeast("indices", c.shape(1), 1);
        if (!c.shape(0).isRankKnown() || !c.shape(1).isRankKnown() || c.shape(1).dim(-1) < 0)
            return List.of(c.input(0).withShape(Shape.UNKNOWN));
        return List.of(c.input(0).withShape(result(c.shape(0), c.shape(1))));
    }

    private static Shape result(Shape x, Shape indices) {
        long depth = indices.dim(-1);
        require(
                depth <= x.rank(),
                INVALID_ARGUMENT,
                "index innermost dimension length must be <= params rank; saw: %d vs. %d",
                depth,
                x.rank());
        return indices.slice(0, indices.rank() - 1).concat(x.slice((int) depth, x.rank()));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int places = c.shape(1).rank() - 1;
        return axis < places ? Pieces.along(axis, outputs, Pieces.WHOLE, axis) : null;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), indices = c.input(1);
            Tensor y = c.isAllocated(0) ? c.output(0) : c.allocate(0, result(x.shape(), indices.shape()));
            require(
                    x.size() > 0 || y.size() == 0,
                    INVALID_ARGUMENT,
                    "Requested more than 0 entries, but params is empty.  Params shape: %s",
                    x.shape());
            dev.oxbow.kernels.move.Gather.nd(x, indices, 0, y, c.parallel());
        };
    }

    /** {@code dx[indices[i]] += dy[i]}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), indices = g.input(1);
        DType index = indices.dtype();
        Value shape = Value.apply(new dev.oxbow.ops.array.Shape(index == DType.I64 ? DType.I64 : DType.I32), x);
        return Arrays.asList(Value.apply(new ScatterNd(), indices, g.gradient(0), shape.cast(index)), null);
    }
}
