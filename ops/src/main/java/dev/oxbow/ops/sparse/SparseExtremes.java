package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** What the greater and the smaller of two sparse tensors share: entries of either, with 0 where one has none. */
final class SparseExtremes {
    private SparseExtremes() {}

    static List<TensorType> infer(InferenceContext c) {
        return Coordinates.types(c.dtype(1), Coordinates.rank(c, 2)).subList(0, 2);
    }

    static void run(KernelContext c, Combine how) {
        Coordinates a = Coordinates.of(c.input(0), c.input(1), c.input(2)).inside();
        Coordinates b = Coordinates.of(c.input(3), c.input(4), c.input(5)).inside();
        require(
                a.rank() == b.rank(),
                INVALID_ARGUMENT,
                "Operands do not have the same ranks; got shapes: %s and %s",
                Arrays.toString(a.shape()),
                Arrays.toString(b.shape()));
        require(
                Arrays.equals(a.shape(), b.shape()),
                INVALID_ARGUMENT,
                "Operands' shapes do not match: got %s and %s",
                Arrays.toString(a.shape()),
                Arrays.toString(b.shape()));
        DType dtype = a.values().dtype();
        int w = dtype.size(), i = 0, j = 0, k = 0;
        Tensor values = c.temporary(dtype, Shape.of(a.count() + b.count() + 1L));
        Memory.zero(values.address(), values.byteSize());
        List<long[]> rows = new ArrayList<>();
        long zero = values.address() + (a.count() + (long) b.count()) * w;
        for (; i < a.count() || j < b.count(); k++) {
            int order = i == a.count() ? 1 : j == b.count() ? -1 : Arrays.compare(a.rows()[i], b.rows()[j]);
            long at = values.address() + (long) k * w;
            rows.add(order <= 0 ? a.rows()[i] : b.rows()[j]);
            Memory.copy(order <= 0 ? a.values().address() + (long) i++ * w : zero, at, w);
            how.apply(dtype, at, order >= 0 ? b.values().address() + (long) j++ * w : zero, 1);
        }
        Coordinates.emit(c, 0, rows, a.rank());
        Coordinates.pick(c, 1, values, IntStream.range(0, k).toArray());
        values.release();
    }
}
