package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Accumulators of integers and bools, in i64. */
final class LongAccumulators implements Accumulators {
    private static final int LANES = 32;

    private final Reduction.Operation operation;
    private final DType dtype;
    private final long[] values;

    LongAccumulators(Reduction.Operation operation, DType dtype, int n) {
        this.operation = operation;
        this.dtype = dtype;
        this.values = new long[n];
        long start = switch (operation) {
            case PROD, ALL -> 1;
            case MAX -> lowest(dtype);
            case MIN -> highest(dtype);
            default -> 0;
        };
        if (start != 0) Arrays.fill(values, start);
    }

    @Override
    public Accumulators empty(int n) {
        return new LongAccumulators(operation, dtype, n);
    }

    @Override
    public void run(MappedInput in, int out, int at, int n) {
        long[] x = in.longs();
        long r = switch (operation) {
            case SUM, MEAN, EUCLIDEAN_NORM -> sum(x, at, n);
            case PROD -> product(x, at, n);
            case MAX, ANY -> max(x, at, n);
            case MIN, ALL -> min(x, at, n);
        };
        values[out] = combined(values[out], r);
    }

    private long combined(long a, long b) {
        return switch (operation) {
            case SUM, MEAN, EUCLIDEAN_NORM -> a + b;
            case PROD -> a * b;
            case MAX, ANY -> Math.max(a, b);
            case MIN, ALL -> Math.min(a, b);
        };
    }

    @Override
    public void columns(MappedInput in, int out, int at, int n) {
        combine(values, out, in.longs(), at, n);
    }

    @Override
    public void merge(Accumulators later) {
        combine(values, 0, ((LongAccumulators) later).values, 0, values.length);
    }

    @Override
    public void mergeValue(int out, Accumulators later) {
        values[out] = combined(values[out], ((LongAccumulators) later).values[0]);
    }

    private void combine(long[] r, int to, long[] x, int at, int n) {
        switch (operation) {
            case SUM, MEAN, EUCLIDEAN_NORM -> addAll(r, to, x, at, n);
            case PROD -> multiplyAll(r, to, x, at, n);
            case MAX, ANY -> maxAll(r, to, x, at, n);
            case MIN, ALL -> minAll(r, to, x, at, n);
        }
    }

    private static void addAll(long[] r, int to, long[] x, int at, int n) {
        for (int i = 0; i < n; i++) r[to + i] = r[to + i] + x[at + i];
    }

    private static void multiplyAll(long[] r, int to, long[] x, int at, int n) {
        for (int i = 0; i < n; i++) r[to + i] = r[to + i] * x[at + i];
    }

    private static void maxAll(long[] r, int to, long[] x, int at, int n) {
        for (int i = 0; i < n; i++) r[to + i] = Math.max(r[to + i], x[at + i]);
    }

    private static void minAll(long[] r, int to, long[] x, int at, int n) {
        for (int i = 0; i < n; i++) r[to + i] = Math.min(r[to + i], x[at + i]);
    }

    private static long sum(long[] x, int at, int n) {
        if (n < 2 * LANES) {
            long r = x[at];
            for (int i = 1; i < n; i++) r = r + x[at + i];
            return r;
        }
        long[] lanes = new long[LANES];
        System.arraycopy(x, at, lanes, 0, LANES);
        int whole = n / LANES * LANES;
        for (int i = LANES; i < whole; i += LANES) addAll(lanes, 0, x, at + i, LANES);
        addAll(lanes, 0, x, at + whole, n - whole);
        for (int half = LANES / 2; half > 0; half /= 2) addAll(lanes, 0, lanes, half, half);
        return lanes[0];
    }

    private static long product(long[] x, int at, int n) {
        if (n < 2 * LANES) {
            long r = x[at];
            for (int i = 1; i < n; i++) r = r * x[at + i];
            return r;
        }
        long[] lanes = new long[LANES];
        System.arraycopy(x, at, lanes, 0, LANES);
        int whole = n / LANES * LANES;
        for (int i = LANES; i < whole; i += LANES) multiplyAll(lanes, 0, x, at + i, LANES);
        multiplyAll(lanes, 0, x, at + whole, n - whole);
        for (int half = LANES / 2; half > 0; half /= 2) multiplyAll(lanes, 0, lanes, half, half);
        return lanes[0];
    }

    private static long max(long[] x, int at, int n) {
        if (n < 2 * LANES) {
            long r = x[at];
            for (int i = 1; i < n; i++) r = Math.max(r, x[at + i]);
            return r;
        }
        long[] lanes = new long[LANES];
        System.arraycopy(x, at, lanes, 0, LANES);
        int whole = n / LANES * LANES;
        for (int i = LANES; i < whole; i += LANES) maxAll(lanes, 0, x, at + i, LANES);
        maxAll(lanes, 0, x, at + whole, n - whole);
        for (int half = LANES / 2; half > 0; half /= 2) maxAll(lanes, 0, lanes, half, half);
        return lanes[0];
    }

    private static long min(long[] x, int at, int n) {
        if (n < 2 * LANES) {
            long r = x[at];
            for (int i = 1; i < n; i++) r = Math.min(r, x[at + i]);
            return r;
        }
        long[] lanes = new long[LANES];
        System.arraycopy(x, at, lanes, 0, LANES);
        int whole = n / LANES * LANES;
        for (int i = LANES; i < whole; i += LANES) minAll(lanes, 0, x, at + i, LANES);
        minAll(lanes, 0, x, at + whole, n - whole);
        for (int half = LANES / 2; half > 0; half /= 2) minAll(lanes, 0, lanes, half, half);
        return lanes[0];
    }

    @Override
    public void store(Tensor output, long at, long count) {
        for (int i = 0; i < values.length; i++) output.setLong(at + i, result(values[i], count));
    }

    private long result(long v, long count) {
        if (operation == Reduction.Operation.MEAN) {
            if (count == 0) return 0;
            return dtype == DType.U64 ? Long.divideUnsigned(v, count) : v / count;
        }
        boolean ordered = operation == Reduction.Operation.MAX || operation == Reduction.Operation.MIN;
        return ordered && dtype == DType.U64 ? v ^ Long.MIN_VALUE : v;
    }

    private static long lowest(DType dtype) {
        if (dtype == DType.U64) return Long.MIN_VALUE;
        return dtype.isUnsigned() || dtype == DType.QU8 || dtype == DType.QU16 ? 0 : -1L << 8 * dtype.size() - 1;
    }

    private static long highest(DType dtype) {
        return dtype == DType.U64 ? Long.MAX_VALUE : lowest(dtype) + (-1L >>> 64 - 8 * dtype.size());
    }
}
