package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.kernels.move.Scatter;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.GatherNd;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** A dense tensor plus a sparse one of its shape. */
@Signature(
        "SparseTensorDenseAdd(a_indices: Tindices, a_values: T, a_shape: Tindices, b: T) -> (output: T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]}")
public record SparseTensorDenseAdd() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("a_indices", c.shape(0), 2);
        Arguments.rank("a_values", c.shape(1), 1);
        c.sameDim(1, 0, 0, 0);
        c.dim(0, 1, c.shape(3).rank());
        Shape a = c.shapeValue(2);
        require(
                a.isCompatibleWith(c.shape(3)),
                INVALID_ARGUMENT,
                "the operands must have the same shape: %s vs. %s",
                a,
                c.shape(3));
        return List.of(c.input(3));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor b = c.input(3), y = c.output(0);
            requireInside(c.input(0), b.shape());
            Memory.copy(b.address(), y.address(), b.byteSize());
            if (c.input(1).size() > 0) Scatter.nd(y, c.input(0), c.input(1), Combine.ADD, c.memory(), c.parallel());
        };
    }

    private static void requireInside(Tensor indices, Shape shape) {
        int rank = shape.rank();
        for (long i = 0; i < indices.size(); i++) {
            long at = indices.getLong(i), n = shape.dim((int) (i % rank));
            require(
                    at >= 0 && at < n,
                    INVALID_ARGUMENT,
                    "Sparse tensor has some invalid index on dimension %d: %d of %d",
                    i % rank,
                    at,
                    n);
        }
    }

    /** {@code da = dy[indices]}, {@code db = dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0);
        return Arrays.asList(null, Value.apply(new GatherNd(), dy, g.input(0)), null, dy);
    }
}
