package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Gather;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ScatterNd;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Slices of a variable by coordinates: {@code y[i] = v[indices[i, 0], indices[i, 1], ...]}. */
@Signature(
        "ResourceGatherNd(resource: resource, indices: Tindices) -> (output: dtype) {dtype: type; Tindices: type in [INT32 INT64]} stateful")
public record ResourceGatherNd(DType dtype) implements Differentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(dtype, shape(Variables.type(c, 0, dtype).shape(), c.shape(1))));
    }

    private static Shape shape(Shape v, Shape indices) {
        if (!v.isRankKnown() || indices.rank() < 1 || indices.dim(-1) < 0) return Shape.UNKNOWN;
        int depth = Counts.toInt(indices.dim(-1));
        require(
                depth <= v.rank(),
                INVALID_ARGUMENT,
                "index innermost dimension length must be <= params rank; saw: %d vs. %d",
                depth,
                v.rank());
        return indices.slice(0, indices.rank() - 1).concat(v.slice(depth, v.rank()));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor v = Variables.read(c, 0, NOT_FOUND), indices = c.input(1);
            try {
                Variables.requireType(v, dtype);
                require(indices.shape().rank() >= 1, INVALID_ARGUMENT, "indices must be at least a vector");
                Gather.nd(v, indices, 0, c.allocate(0, shape(v.shape(), indices.shape())), c.parallel());
            } finally {
                v.release();
            }
        };
    }

    /** {@code dv[indices[i]] += dy[i]}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        DType index = g.node().input(1).type().dtype();
        Value shape = Value.apply(new VariableShape(index), g.input(0));
        return Arrays.asList(Value.apply(new ScatterNd(), g.input(1), g.gradient(0), shape), null);
    }
}
