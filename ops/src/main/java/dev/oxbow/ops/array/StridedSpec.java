package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Broadcast;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A strided slice with its masks resolved: per input dimension the begin, stride and number of elements, and the shape
 * of the result with new and dropped axes. Sizes are -1 where the input's dimension is not known.
 */
record StridedSpec(long[] begin, long[] stride, long[] size, Shape result) {

    /** The attributes that all strided-slice ops have. */
    record Masks(int begin, int end, int ellipsis, int newAxis, int shrinkAxis) {}

    private static final int NEW = -1;

    /** The shape of the result as far as it is known. */
    static Shape infer(InferenceContext c, Shape x, Masks masks, int firstIndex) {
        Shape length = Shape.of(-1);
        for (int i = firstIndex; i < firstIndex + 3; i++) length = Arguments.merge(length, c.shape(i));
        long[] begin = c.longs(firstIndex), end = c.longs(firstIndex + 1), stride = c.longs(firstIndex + 2);
        if (!x.isRankKnown()) return Shape.UNKNOWN;
        if (begin != null && end != null && stride != null) return of(x, begin, end, stride, masks).result;
        if (length.dim(0) < 0) return Shape.UNKNOWN;
        long[] any = new long[Shape.ofRank(length.dim(0)).rank()], ones = any.clone();
        Arrays.fill(ones, 1);
        StridedSpec spec = of(Shape.ofRank(x.rank()), any, any, stride == null ? ones : stride, masks);
        return spec.result;
    }

    static StridedSpec of(Shape x, Tensor begin, Tensor end, Tensor stride, Masks masks) {
        return of(x, Arguments.longs(begin), Arguments.longs(end), Arguments.longs(stride), masks);
    }

    static StridedSpec of(Shape x, long[] begin, long[] end, long[] stride, Masks m) {
        require(
                begin.length == end.length && begin.length == stride.length,
                INVALID_ARGUMENT,
                "begin, end and strides must have the same length, got %d, %d and %d",
                begin.length,
                end.length,
                stride.length);
        int n = begin.length, rank = x.rank(), ellipsis = -1, newAfter = 0;
        for (int i = 0; i < n; i++) {
            if (ellipsis >= 0 && has(m.newAxis, i)) newAfter++;
            if (has(m.ellipsis, i)) {
                require(ellipsis < 0, INVALID_ARGUMENT, "Multiple ellipses in slice spec not allowed");
                ellipsis = i;
            }
        }
        if (ellipsis < 0) ellipsis = n;
        int count = Math.max(n, ellipsis + 1);
        long[] from = new long[rank], step = new long[rank], size = x.dims();
        Arrays.fill(step, 1);
        List<Integer> gather = new ArrayList<>();
        int d = 0;
        for (int i = 0; i < count; i++) {
            if (i == ellipsis) {
                int next = Math.min(rank - (count - i) + 1 + newAfter, rank);
                for (; d < next; d++) gather.add(d);
            } else if (has(m.newAxis, i)) {
                gather.add(NEW);
            } else {
                require(
                        d < rank,
                        INVALID_ARGUMENT,
                        "Index out of range using input dim %d; input has only %d dims",
                        d,
                        rank);
                boolean shrink = has(m.shrinkAxis, i);
                resolve(
                        x.dim(d),
                        begin[i],
                        end[i],
                        stride[i],
                        has(m.begin, i),
                        has(m.end, i),
                        shrink,
                        d,
                        from,
                        step,
                        size);
                if (!shrink) gather.add(d);
                d++;
            }
        }
        long[] dims = gather.stream().mapToLong(g -> g == NEW ? 1 : size[g]).toArray();
        return new StridedSpec(from, step, size, Shape.of(dims));
    }

    private static void resolve(
            long dim,
            long begin,
            long end,
            long stride,
            boolean openBegin,
            boolean openEnd,
            boolean shrink,
            int d,
            long[] from,
            long[] step,
            long[] size) {
        require(stride != 0, INVALID_ARGUMENT, "strides[%d] must be non-zero", d);
        require(!shrink || stride > 0, INVALID_ARGUMENT, "only stride 1 allowed on non-range indexing, got %d", stride);
        step[d] = stride;
        if (shrink) {
            long at = begin < 0 && dim >= 0 ? begin + dim : begin;
            require(
                    dim < 0 || at >= 0 && at < dim,
                    INVALID_ARGUMENT,
                    "slice index %d of dimension %d out of bounds.",
                    begin,
                    d);
            from[d] = at;
            size[d] = 1;
            return;
        }
        if (dim < 0) {
            size[d] = -1;
            return;
        }
        long low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;
        long first = openBegin ? (stride > 0 ? low : high) : Math.clamp(begin < 0 ? begin + dim : begin, low, high);
        long last = openEnd ? (stride > 0 ? high : low) : Math.clamp(end < 0 ? end + dim : end, low, high);
        long interval = last - first;
        from[d] = first;
        size[d] =
                interval == 0 || interval < 0 != stride < 0 ? 0 : interval / stride + (interval % stride != 0 ? 1 : 0);
        if (size[d] == 0) from[d] = 0;
    }

    private static boolean has(int mask, int i) {
        return i < 32 && (mask >> i & 1) != 0;
    }

    /** Writes {@code value}, broadcast to the slice, into {@code y}. */
    void assign(Tensor value, Tensor y, Parallel parallel) {
        Shape both = Shape.broadcast(value.shape(), result);
        require(
                both != null && both.equals(result),
                INVALID_ARGUMENT,
                "cannot assign a value of shape %s to a slice of shape %s",
                value.shape(),
                result);
        if (result.size() == 0) return;
        Tensor spread = null;
        if (!value.shape().equals(result)) {
            spread = MemoryPool.shared().tensor(value.dtype(), result, "StridedSliceAssign");
            Broadcast.run(value, spread, parallel);
        }
        dev.oxbow.kernels.move.Slice.write(spread == null ? value : spread, y, begin, stride, size, parallel);
        if (spread != null) spread.release();
    }
}
