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

/** How often each whole number occurs, in all or in each row, or the sums of its weights. */
@Signature(
        "DenseBincount(input: Tidx, size: Tidx, weights: T) -> (output: T) {Tidx: type in [INT32 INT64]; T: type in [INT32 INT64 FLOAT DOUBLE]; binary_output: bool = false}")
public record DenseBincount(boolean binaryOutput) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        require(x.rank() <= 2, INVALID_ARGUMENT, "Shape must be at most rank 2 but is rank %d", x.rank());
        long bins = Counting.size(c, 1);
        if (!x.isRankKnown()) return List.of(TensorType.of(c.dtype(2)));
        return List.of(new TensorType(c.dtype(2), x.rank() == 2 ? Shape.of(x.dim(0), bins) : Shape.of(bins)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), weights = c.input(2), y = c.output(0);
            Counting.check(x, weights);
            Memory.zero(y.address(), y.byteSize());
            long bins = y.shape().dim(-1),
                    columns = x.shape().rank() == 2 ? x.shape().dim(1) : x.size();
            for (long i = 0; i < x.size(); i++) Counting.add(x, i, weights, binaryOutput, y, i / columns, bins);
        };
    }
}
