package dev.oxbow.kernels.expr.reduce;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.interpret.Tile;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** The first index of the largest or smallest value along an axis; NaN is never chosen over a number. */
public final class ArgReduction {
    private final boolean largest;
    private final MappedInput.Plan plan;

    private ArgReduction(boolean largest, DType dtype) {
        this.largest = largest;
        this.plan = MappedInput.Plan.of(Expr.input(0, dtype), true);
    }

    public static ArgReduction max(DType dtype) {
        return new ArgReduction(true, real(dtype));
    }

    public static ArgReduction min(DType dtype) {
        return new ArgReduction(false, real(dtype));
    }

    private static DType real(DType dtype) {
        require(!dtype.isComplex() && !dtype.isObject(), INVALID_ARGUMENT, "ArgReduction: %s has no order", dtype);
        return dtype;
    }

    /** Writes indices along {@code axis} to {@code output}, of any integer dtype, for each index of the others. */
    public void run(Parallel parallel, Tensor input, int axis, Tensor output) {
        Shape shape = input.shape();
        int d = Axes.index(axis, shape.rank());
        long outer = shape.size(0, d), n = shape.dim(d), inner = shape.size(d + 1, shape.rank());
        require(n > 0, INVALID_ARGUMENT, "Reduction axis %d is empty in shape %s", axis, shape);
        require(
                output.dtype().isInteger() && output.size() == outer * inner,
                INVALID_ARGUMENT,
                "ArgReduction: %s along %d gives %d indices, got %s",
                input.describe(),
                axis,
                outer * inner,
                output.describe());
        if (output.size() == 0) return;
        int width = (int) Math.min(inner, Tile.SIZE);
        long strips = (inner + width - 1) / width;
        parallel.run(outer * strips, Math.max(1, (1 << 15) / (n * width)), (from, to) -> {
            MappedInput in = new MappedInput(plan, shape, new Tensor[] {input});
            for (long s = from; s < to; s++) {
                long o = s / strips, column = s % strips * width;
                int columns = (int) Math.min(width, inner - column);
                long at = o * n * inner + column;
                if (inner == 1) output.setLong(o, run(in, at, n));
                else strip(in, at, n, inner, columns, output, o * inner + column);
            }
        });
    }

    /** The index within a contiguous run. */
    private long run(MappedInput in, long at, long n) {
        double best = largest ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        long bestLong = largest ? Long.MIN_VALUE : Long.MAX_VALUE, index = 0;
        for (long i = 0; i < n; i += Tile.SIZE) {
            int m = (int) Math.min(Tile.SIZE, n - i);
            in.fetch(at + i, m);
            for (int k = 0; k < m; k++) {
                if (plan.isInteger()) {
                    long x = in.longs()[k];
                    if (largest ? x <= bestLong : x >= bestLong) continue;
                    bestLong = x;
                } else {
                    double x = in.doubles()[k];
                    if (!(largest ? x > best : x < best)) continue;
                    best = x;
                }
                index = i + k;
            }
        }
        return index;
    }

    /** The indices of neighbouring columns, whose values are {@code inner} elements apart. */
    private void strip(MappedInput in, long at, long n, long inner, int columns, Tensor output, long out) {
        double[] best = new double[columns];
        long[] bestLong = new long[columns], index = new long[columns];
        Arrays.fill(best, largest ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
        Arrays.fill(bestLong, largest ? Long.MIN_VALUE : Long.MAX_VALUE);
        for (long i = 0; i < n; i++) {
            in.fetch(at + i * inner, columns);
            for (int c = 0; c < columns; c++) {
                if (plan.isInteger()) {
                    long x = in.longs()[c];
                    if (largest ? x <= bestLong[c] : x >= bestLong[c]) continue;
                    bestLong[c] = x;
                } else {
                    double x = in.doubles()[c];
                    if (!(largest ? x > best[c] : x < best[c])) continue;
                    best[c] = x;
                }
                index[c] = i;
            }
        }
        for (int c = 0; c < columns; c++) output.setLong(out + c, index[c]);
    }
}
