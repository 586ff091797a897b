package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Numbers from {@code start} up to, not including, {@code limit} by {@code delta}. */
@Signature(
        "Range(start: Tidx, limit: Tidx, delta: Tidx) -> (output: Tidx) {Tidx: type in [FLOATING INT8 INT16 INT32 INT64 UINT16 UINT32] = INT32}")
public record Range() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < 3; i++)
            require(
                    c.shape(i).rank() <= 0,
                    INVALID_ARGUMENT,
                    "%s must be a scalar, got shape %s",
                    List.of("start", "limit", "delta").get(i),
                    c.shape(i));
        Tensor start = c.constant(0), limit = c.constant(1), delta = c.constant(2);
        if (start == null || limit == null || delta == null) return List.of(new TensorType(c.dtype(0), Shape.of(-1)));
        return List.of(new TensorType(c.dtype(0), Shape.of(count(start, limit, delta))));
    }

    private static long count(Tensor start, Tensor limit, Tensor delta) {
        if (start.dtype().isFloating()) {
            double s = start.getDouble(0), l = limit.getDouble(0), d = delta.getDouble(0);
            check(d != 0, d > 0 ? s <= l : s >= l, s, l, d);
            double n = Math.ceil(Math.abs((l - s) / d));
            require(
                    n <= Long.MAX_VALUE / 16,
                    INVALID_ARGUMENT,
                    "Requires ((limit - start) / delta) <= 2^59, got %s",
                    n);
            return (long) n;
        }
        long s = start.getLong(0), l = limit.getLong(0), d = delta.getLong(0);
        check(d != 0, d > 0 ? s <= l : s >= l, s, l, d);
        // distances of up to 2^64, so without a sign
        long distance = d > 0 ? l - s : s - l;
        long n = distance == 0 ? 0 : Long.divideUnsigned(distance - 1, Math.abs(d)) + 1;
        require(
                n >= 0,
                INVALID_ARGUMENT,
                "Requires ((limit - start) / delta) < 2^63, got start %d, limit %d, delta %d",
                s,
                l,
                d);
        return n;
    }

    private static void check(boolean moves, boolean towards, Object s, Object l, Object d) {
        require(moves, INVALID_ARGUMENT, "Requires delta != 0: %s", d);
        require(
                towards,
                INVALID_ARGUMENT,
                "Requires start <= limit when delta > 0 and start >= limit when delta < 0: start %s, limit %s, delta %s",
                s,
                l,
                d);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor start = c.input(0), delta = c.input(2), y = c.output(0);
            if (y.dtype().isFloating()) {
                double s = start.getDouble(0), d = delta.getDouble(0);
                for (long i = 0; i < y.size(); i++) y.set(i, s + i * d);
            } else {
                long s = start.getLong(0), d = delta.getLong(0);
                for (long i = 0; i < y.size(); i++) y.setLong(i, s + i * d);
            }
        };
    }
}
