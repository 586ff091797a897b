package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The slices of a sparse tensor along its first dimension: coordinates, values and shape of each. */
@Signature(
        "SparseTensorSliceDataset(indices: int64, values: Tvalues, dense_shape: int64) -> (handle: variant) {Tvalues: type} stateful")
public record SparseTensorSliceDataset() implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        Tensor indices = c.input(0), values = c.input(1), shape = c.input(2);
        require(
                indices.shape().rank() == 2
                        && values.shape().rank() == 1
                        && shape.shape().rank() == 1,
                INVALID_ARGUMENT,
                "needs a matrix of indices, a vector of values and a shape, got %s, %s and %s",
                indices.shape(),
                values.shape(),
                shape.shape());
        long rank = shape.size(), n = values.size(), last = -1;
        require(
                indices.shape().dim(0) == n && indices.shape().dim(1) == rank && rank > 0,
                INVALID_ARGUMENT,
                "indices %s do not fit %d values of rank %d",
                indices.shape(),
                n,
                rank);
        for (long k = 0; k < n; k++) {
            long row = indices.getLong(k * rank);
            require(
                    row >= last && row < shape.getLong(0),
                    UNIMPLEMENTED,
                    "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input is not currently supported: %d behind %d",
                    row,
                    last);
            last = row;
        }
        List<Tensor> kept = DatasetOp.kept(c, 0, 3);
        return Counting.of(kept, shape.getLong(0), i -> slice(kept, i));
    }

    private static List<Tensor> slice(List<Tensor> all, long row) {
        Tensor indices = all.get(0), values = all.get(1), shape = all.get(2);
        long rank = shape.size(), from = first(indices, rank, row), to = first(indices, rank, row + 1);
        Tensor places = made(DType.I64, Shape.of(to - from, rank - 1)), rest = made(DType.I64, Shape.of(rank - 1));
        for (long k = from; k < to; k++)
            for (long d = 1; d < rank; d++)
                places.setLong((k - from) * (rank - 1) + d - 1, indices.getLong(k * rank + d));
        for (long d = 1; d < rank; d++) rest.setLong(d - 1, shape.getLong(d));
        Tensor some = made(values.dtype(), Shape.of(to - from));
        long[] one = {1}, count = {to - from};
        Strided.copy(values, from, one, some, 0, one, count, Parallel.SERIAL);
        return List.of(places, some, rest);
    }

    /** The first coordinates that are not before a row. */
    private static long first(Tensor indices, long rank, long row) {
        long from = 0, to = indices.shape().dim(0);
        while (from < to) {
            long middle = (from + to) >>> 1;
            if (indices.getLong(middle * rank) < row) from = middle + 1;
            else to = middle;
        }
        return from;
    }

    private static Tensor made(DType dtype, Shape shape) {
        return MemoryPool.shared().tensor(dtype, shape, "slice");
    }
}
