package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How often each whole number occurs in each row of a ragged tensor, or the sums of its weights. */
@Signature(
        "RaggedBincount(splits: int64, values: Tidx, size: Tidx, weights: T) -> (output: T) {Tidx: type in [INT32 INT64]; T: type in [INT32 INT64 FLOAT DOUBLE]; binary_output: bool = false}")
public record RaggedBincount(boolean binaryOutput) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("splits", c.shape(0), 1);
        long splits = c.shape(0).dim(0), rows = Math.max(-1, splits - 1);
        require(splits != 0, INVALID_ARGUMENT, "splits must not be empty");
        return List.of(new TensorType(c.dtype(3), Shape.of(rows, Counting.size(c, 2))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor splits = c.input(0), x = c.input(1), weights = c.input(3), y = c.output(0);
            Counting.check(x, weights);
            require(
                    splits.getLong(0) == 0 && splits.getLong(splits.size() - 1) == x.size(),
                    INVALID_ARGUMENT,
                    "Splits must start with 0 and end with the number of values (%d)",
                    x.size());
            Memory.zero(y.address(), y.byteSize());
            long bins = y.shape().dim(1), row = 0;
            for (long i = 0; i < x.size(); i++) {
                while (i >= splits.getLong(row + 1)) row++;
                Counting.add(x, i, weights, binaryOutput, y, row, bins);
            }
        };
    }
}
