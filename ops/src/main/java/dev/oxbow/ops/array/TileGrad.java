package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Reduction;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The sum over the repetitions that {@code Tile} made. */
@Signature("TileGrad(input: T, multiples: int32) -> (output: T) {T: type}")
public record TileGrad() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        long[] multiples = c.longs(1);
        if (!x.isRankKnown()) return List.of(c.input(0));
        c.vector(1, x.rank());
        if (multiples == null) return List.of(c.input(0).withShape(Shape.ofRank(x.rank())));
        long[] dims = x.dims();
        for (int d = 0; d < dims.length; d++) {
            require(
                    multiples[d] > 0 && (dims[d] < 0 || dims[d] % multiples[d] == 0),
                    INVALID_ARGUMENT,
                    "Expected input_dim[%d] to be divisible by multiples[%d], but %d %% %d != 0",
                    d,
                    d,
                    dims[d],
                    multiples[d]);
            if (dims[d] > 0) dims[d] /= multiples[d];
        }
        return List.of(c.input(0).withShape(Shape.of(dims)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            int rank = y.shape().rank();
            long[] apart = new long[2 * rank];
            int[] axes = new int[rank];
            for (int d = 0; d < rank; d++) {
                apart[2 * d] = c.input(1).getLong(d);
                apart[2 * d + 1] = y.shape().dim(d);
                axes[d] = 2 * d;
            }
            Tensor seen = x.view(Shape.of(apart));
            Reduction.of(Reduction.Operation.SUM, x.dtype())
                    .run(c.parallel(), seen.shape(), axes, new Tensor[] {seen}, y);
            seen.release();
        };
    }
}
