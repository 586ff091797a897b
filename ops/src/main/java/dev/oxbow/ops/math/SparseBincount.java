package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How often each whole number occurs in a sparse vector or in each row of a sparse matrix, or the sums of its weights. */
@Signature(
        "SparseBincount(indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T) -> (output: T) {Tidx: type in [INT32 INT64]; T: type in [INT32 INT64 FLOAT DOUBLE]; binary_output: bool = false}")
public record SparseBincount(boolean binaryOutput) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        long bins = Counting.size(c, 3);
        c.rank(0, 2);
        c.sameDim(1, 0, 0, 0);
        c.sameDim(2, 0, 0, 1);
        Shape shape = c.shapeValue(2);
        if (!shape.isRankKnown()) return List.of(TensorType.of(c.dtype(4)));
        return List.of(new TensorType(c.dtype(4), shape.rank() <= 1 ? Shape.of(bins) : Shape.of(shape.dim(0), bins)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor indices = c.input(0), x = c.input(1), weights = c.input(4), y = c.output(0);
            Counting.check(x, weights);
            Memory.zero(y.address(), y.byteSize());
            boolean matrix = y.shape().rank() == 2;
            long bins = y.shape().dim(-1), depth = c.input(2).size();
            for (long i = 0; i < x.size(); i++) {
                long row = matrix ? indices.getLong(i * depth) : 0;
                require(
                        !matrix || row >= 0 && row < y.shape().dim(0),
                        INVALID_ARGUMENT,
                        "row %d is outside of the output %s",
                        row,
                        y.shape());
                Counting.add(x, i, weights, binaryOutput, y, row, bins);
            }
        };
    }
}
