package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Ranges of numbers one after the other, and where each begins. */
@Signature(
        "RaggedRange(starts: T, limits: T, deltas: T) -> (rt_nested_splits: Tsplits, rt_dense_values: T) {T: type in [BFLOAT16 FLOAT DOUBLE INT32 INT64] = INT32; Tsplits: type in [INT32 INT64] = INT64}")
public record RaggedRange(@Attr("Tsplits") DType splitsType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        long n = 1;
        boolean open = false;
        for (int i = 0; i < 3; i++) {
            Shape s = c.shape(i);
            require(s.rank() <= 1, INVALID_ARGUMENT, "inputs must be scalars or vectors, got %s", s);
            open |= s.rank() < 0 || s.rank() == 1 && s.dim(0) < 0;
            if (s.rank() == 1 && s.dim(0) >= 0) n = s.dim(0);
        }
        return List.of(
                new TensorType(splitsType, Shape.of(open ? -1 : n + 1)), new TensorType(c.dtype(0), Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            long n = -1;
            for (int i = 0; i < 3; i++) {
                if (c.input(i).shape().rank() == 0) continue;
                long size = c.input(i).size();
                require(
                        n < 0 || n == size,
                        INVALID_ARGUMENT,
                        "starts, limits, and deltas must have the same shape: %d vs. %d",
                        n,
                        size);
                n = size;
            }
            if (n < 0) n = 1;
            Tensor splits = c.isAllocated(0) ? c.output(0) : c.allocate(0, Shape.of(n + 1));
            long total = 0, most = splitsType == DType.I32 ? Integer.MAX_VALUE : Long.MAX_VALUE;
            splits.setLong(0, 0);
            for (long i = 0; i < n; i++) {
                long size = size(c, i);
                require(
                        size >= 0 && size <= most - total,
                        INVALID_ARGUMENT,
                        "the ranges have more than the %d elements that splits can count",
                        most);
                total += size;
                splits.setLong(i + 1, total);
            }
            Tensor values = c.allocate(1, Shape.of(total));
            for (long i = 0, k = 0; i < n; i++) fill(c, i, values, k, k = splits.getLong(i + 1));
        };
    }

    private static long place(Tensor t, long i) {
        return t.shape().rank() == 0 ? 0 : i;
    }

    private static long size(KernelContext c, long i) {
        Tensor s = c.input(0), l = c.input(1), d = c.input(2);
        if (s.dtype().isInteger()) {
            long start = s.getLong(place(s, i)), limit = l.getLong(place(l, i)), delta = d.getLong(place(d, i));
            require(delta != 0, INVALID_ARGUMENT, "Requires delta != 0");
            if (delta > 0 ? start >= limit : start <= limit) return 0;
            return Math.ceilDiv(
                    delta > 0 ? limit - start : start - limit,
                    delta == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(delta));
        }
        double start = s.getDouble(place(s, i)), limit = l.getDouble(place(l, i)), delta = d.getDouble(place(d, i));
        require(delta != 0, INVALID_ARGUMENT, "Requires delta != 0");
        if (delta > 0 ? start >= limit : start <= limit) return 0;
        return (long) Math.ceil(Math.abs((limit - start) / delta));
    }

    private static void fill(KernelContext c, long i, Tensor values, long from, long to) {
        Tensor s = c.input(0), d = c.input(2);
        for (long k = from; k < to; k++) {
            if (values.dtype().isInteger())
                values.setLong(k, s.getLong(place(s, i)) + (k - from) * d.getLong(place(d, i)));
            else values.set(k, s.getDouble(place(s, i)) + (k - from) * d.getDouble(place(d, i)));
        }
    }
}
