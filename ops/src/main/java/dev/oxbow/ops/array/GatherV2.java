package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Slices along an axis at given indices, with leading batch dimensions that both share. */
@Signature(
        "GatherV2(params: Tparams, indices: Tindices, axis: Taxis) -> (output: Tparams) {batch_dims: int = 0; Tparams: type; Tindices: type in [INT16 INT32 INT64]; Taxis: type in [INT32 INT64]}")
public record GatherV2(int batchDims) implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0), indices = c.shape(1);
        long[] axis = c.longs(2);
        Arguments.scalar("axis", c.shape(2));
        if (!x.isRankKnown() || !indices.isRankKnown())
            return List.of(c.input(0).withShape(Shape.UNKNOWN));
        int batch = batch(indices.rank());
        if (axis == null) {
            int rank = x.rank() + indices.rank() - 1 - batch;
            return List.of(c.input(0).withShape(rank < 0 ? Shape.UNKNOWN : Shape.ofRank(rank)));
        }
        return List.of(c.input(0).withShape(result(x, indices, axis[0], batch)));
    }

    private int batch(int indicesRank) {
        require(
                batchDims >= -indicesRank && batchDims <= indicesRank,
                INVALID_ARGUMENT,
                "Expected batch_dims in the range [%d, %d], but got %d",
                -indicesRank,
                indicesRank,
                batchDims);
        return batchDims < 0 ? batchDims + indicesRank : batchDims;
    }

    private static Shape result(Shape x, Shape indices, long axis, int batch) {
        int at = Arguments.axis(axis, x.rank());
        require(batch <= at, INVALID_ARGUMENT, "batch_dims (%d) must be less than or equal to axis (%d).", batch, at);
        Shape shared = x.slice(0, batch).merge(indices.slice(0, batch));
        require(
                shared != null,
                INVALID_ARGUMENT,
                "params %s and indices %s must share the first %d dimensions",
                x,
                indices,
                batch);
        return shared.concat(x.slice(batch, at))
                .concat(indices.slice(batch, indices.rank()))
                .concat(x.slice(at + 1, x.rank()));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        long[] along = c.longs(2);
        if (along == null) return null;
        int rank = c.shape(1).rank(),
                batch = batch(rank),
                at = Arguments.axis(along[0], c.shape(0).rank());
        if (axis < batch) return Pieces.along(axis, outputs, axis, axis, Pieces.WHOLE);
        if (axis < at) return Pieces.along(axis, outputs, axis, Pieces.WHOLE, Pieces.WHOLE);
        int behind = axis - at - (rank - batch);
        if (behind >= 0) return Pieces.along(axis, outputs, at + 1 + behind, Pieces.WHOLE, Pieces.WHOLE);
        Pieces cut = new Pieces(new int[] {Pieces.WHOLE, batch + axis - at, Pieces.WHOLE}, new int[] {axis}, 1);
        return at == 0 ? cut : cut.apart();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), indices = c.input(1);
            int batch = batch(indices.shape().rank());
            long axis = c.input(2).getLong(0);
            Tensor y = c.isAllocated(0) ? c.output(0) : c.allocate(0, result(x.shape(), indices.shape(), axis, batch));
            int at = Arguments.axis(axis, x.shape().rank());
            dev.oxbow.kernels.move.Gather.run(x, indices, at, batch, y, c.parallel());
        };
    }

    /** {@code dx[indices[i]] += dy[i]} along the axis: axes are moved so that it is a sum of rows. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), indices = g.input(1), dy = g.gradient(0);
        boolean rows = g.node().input(2).node().op() instanceof Const axis
                && axis.value().getLong(0) == 0;
        if (batchDims == 0 && rows) return Arrays.asList(Gathers.rows(x, indices, dy), null, null);
        return Arrays.asList(GatherGradients.along(x, indices, dy, g.input(2), batchDims), null, null);
    }
}
