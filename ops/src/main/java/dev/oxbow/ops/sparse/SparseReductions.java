package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** What reductions of sparse tensors share: entries combined by the coordinates that are kept. */
final class SparseReductions {
    private SparseReductions() {}

    /** The axes that are reduced; all when none is named. */
    private static boolean[] reduced(long[] axes, int rank) {
        boolean[] reduced = new boolean[rank];
        if (axes.length == 0) Arrays.fill(reduced, true);
        for (long a : axes) {
            require(
                    a >= -rank && a < rank,
                    INVALID_ARGUMENT,
                    "Invalid reduction dimension %d, for input with %d dimensions.",
                    a,
                    rank);
            reduced[(int) (a < 0 ? a + rank : a)] = true;
        }
        return reduced;
    }

    /** The shape of the result. */
    private static long[] shape(long[] dims, boolean[] reduced, boolean keepDims) {
        return IntStream.range(0, dims.length)
                .filter(d -> keepDims || !reduced[d])
                .mapToLong(d -> reduced[d] ? 1 : dims[d])
                .toArray();
    }

    static List<TensorType> inferDense(InferenceContext c, boolean keepDims) {
        c.shapeValue(2);
        long[] dims = c.longs(2), axes = c.longs(3);
        if (dims == null || axes == null) return List.of(TensorType.of(c.dtype(1)));
        long[] shape = shape(dims, reduced(axes, dims.length), keepDims);
        return List.of(new TensorType(c.dtype(1), Shape.of(shape)));
    }

    static List<TensorType> inferSparse(InferenceContext c) {
        return Coordinates.types(c.dtype(1), -1);
    }

    /** Entries in row-major order of what is kept, each with the combination of its values. */
    private static Map<List<Long>, Integer> combine(KernelContext c, boolean keepDims, Combine how, Tensor sums) {
        Coordinates x = Coordinates.of(c.input(0), c.input(1), c.input(2)).inside();
        boolean[] reduced = reduced(Arguments.longs(c.input(3)), x.rank());
        Map<List<Long>, Integer> places = new TreeMap<>(SparseReductions::compare);
        int w = sums.dtype().size();
        for (int k = 0; k < x.count(); k++) {
            List<Long> row = new ArrayList<>();
            for (int d = 0; d < x.rank(); d++) {
                if (!reduced[d]) row.add(x.rows()[k][d]);
                else if (keepDims) row.add(0L);
            }
            Integer known = places.putIfAbsent(row, places.size());
            long to = sums.address() + (long) places.get(row) * w,
                    from = x.values().address() + (long) k * w;
            (known == null ? Combine.UPDATE : how).apply(sums.dtype(), to, from, 1);
        }
        return places;
    }

    private static int compare(List<Long> a, List<Long> b) {
        for (int d = 0; d < a.size(); d++) {
            int order = Long.compare(a.get(d), b.get(d));
            if (order != 0) return order;
        }
        return 0;
    }

    static void dense(KernelContext c, boolean keepDims, Combine how) {
        Tensor y = c.output(0), sums = c.temporary(y.dtype(), c.input(1).shape());
        Memory.zero(y.address(), y.byteSize());
        long[] strides = y.shape().strides();
        int w = y.dtype().size();
        combine(c, keepDims, how, sums).forEach((row, k) -> {
            long at = 0;
            for (int d = 0; d < strides.length; d++) at += row.get(d) * strides[d];
            Memory.copy(sums.address() + (long) k * w, y.address() + at * w, w);
        });
        sums.release();
    }

    static void sparse(KernelContext c, boolean keepDims, Combine how) {
        Tensor sums = c.temporary(c.input(1).dtype(), c.input(1).shape());
        Map<List<Long>, Integer> places = combine(c, keepDims, how, sums);
        long[] dims = Arguments.longs(c.input(2));
        long[] shape = shape(dims, reduced(Arguments.longs(c.input(3)), dims.length), keepDims);
        List<long[]> rows = places.keySet().stream()
                .map(r -> r.stream().mapToLong(Long::longValue).toArray())
                .toList();
        Coordinates.emit(c, 0, rows, shape.length);
        Coordinates.pick(
                c, 1, sums, places.values().stream().mapToInt(Integer::intValue).toArray());
        Coordinates.vector(c, 2, shape);
        sums.release();
    }
}
