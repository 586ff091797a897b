package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Reduces the values of an expression along any axes. Thread-safe. */
public final class Reduction {

    /*
     * Axes collapse to alternating kept and reduced dimensions. Values are taken in memory order, a tile
     * at a time, and widened to f64, i64 or pairs of f64, so that rounding happens once, at the end. When the
     * first dimension is kept, its indices are independent work. When it is reduced, it is cut into blocks
     * by shape alone, each with accumulators of its own, which are merged pairwise in order: the result
     * does not depend on how many threads took part.
     */

    /** What values are reduced by. */
    public enum Operation {
        SUM,
        /** Of integers, truncated; 0 when there are none. */
        MEAN,
        PROD,
        /** NaN when any value is; the lowest value when there are none. */
        MAX,
        /** NaN when any value is; the highest value when there are none. */
        MIN,
        ALL,
        ANY,
        /** The square root of the sum of squared moduli. */
        EUCLIDEAN_NORM
    }

    private static final long BLOCK = 1 << 16;
    private static final long MOST_BLOCKS = 256;

    private final Operation operation;
    private final DType dtype;
    private final MappedInput.Plan plan;

    private Reduction(Operation operation, Expr map) {
        this.operation = operation;
        this.dtype = map.dtype();
        Expr value = map;
        if (operation == Operation.EUCLIDEAN_NORM) {
            Expr wide = map.cast(map.dtype().isComplex() ? DType.C128 : DType.F64);
            value = wide.times(wide.conj()).real();
        }
        this.plan = MappedInput.Plan.of(value, operation == Operation.MAX || operation == Operation.MIN);
    }

    /** A reduction of {@code map}, over as many inputs as it uses. */
    public static Reduction of(Operation operation, Expr map) {
        boolean logical = operation == Operation.ALL || operation == Operation.ANY;
        require(
                logical == (map.dtype() == DType.BOOL)
                        && !(map.dtype().isComplex() && (operation == Operation.MAX || operation == Operation.MIN)),
                INVALID_ARGUMENT,
                "Reduction: %s is not defined for %s",
                operation,
                map.dtype());
        return new Reduction(operation, map);
    }

    public static Reduction of(Operation operation, DType dtype) {
        return of(operation, Expr.input(0, dtype));
    }

    /**
     * Reduces along {@code axes} (each in [-rank, rank)) the values that {@code inputs}, broadcast to {@code shape},
     * give. {@code output} has one element for each index of the other axes, whatever its shape.
     */
    public void run(Parallel parallel, Shape shape, int[] axes, Tensor[] inputs, Tensor output) {
        Axes a = Axes.of(shape, axes);
        require(
                output.dtype() == dtype && output.size() == a.kept,
                INVALID_ARGUMENT,
                "Reduction: %s of %s along %s gives %d elements of %s, got %s",
                operation,
                shape,
                java.util.Arrays.toString(axes),
                a.kept,
                dtype,
                output);
        if (a.kept == 0) return;
        if (a.total == 0) {
            finish(accumulators(a.kept), output, 0, a);
        } else if (!a.reduced[0]) {
            keptFirst(parallel, a, shape, inputs, output);
        } else {
            reducedFirst(parallel, a, shape, inputs, output);
        }
    }

    private void keptFirst(Parallel parallel, Axes a, Shape shape, Tensor[] inputs, Tensor output) {
        long each = a.total / a.dims[0], outEach = a.kept / a.dims[0];
        long block = Math.max(1, BLOCK / 2 / each);
        parallel.run(a.dims[0], block, (from, to) -> {
            MappedInput in = new MappedInput(plan, shape, inputs);
            for (long i = from; i < to; i += block) {
                long end = Math.min(to, i + block);
                Accumulators acc = accumulators((end - i) * outEach);
                accumulate(a, in, acc, i * each, end * each, i * outEach);
                finish(acc, output, i * outEach, a);
            }
        });
    }

    private void reducedFirst(Parallel parallel, Axes a, Shape shape, Tensor[] inputs, Tensor output) {
        long each = a.total / a.dims[0];
        long rows = Math.max(Math.max(1, BLOCK / each), (a.dims[0] + MOST_BLOCKS - 1) / MOST_BLOCKS);
        if (a.dims.length > 1) rows = Math.max(rows, 16);
        else rows = (rows + Tile.SIZE - 1) / Tile.SIZE * Tile.SIZE;
        long step = rows, first = a.dims[0];
        int blocks = (int) ((first + rows - 1) / rows);
        Accumulators[] partial = new Accumulators[blocks];
        parallel.run(blocks, 1, (from, to) -> {
            MappedInput in = new MappedInput(plan, shape, inputs);
            for (int b = (int) from; b < to; b++) {
                partial[b] = accumulators(a.kept);
                accumulate(a, in, partial[b], b * step * each, Math.min(first, (b + 1) * step) * each, 0);
            }
        });
        for (int gap = 1; gap < blocks; gap *= 2) {
            for (int b = 0; b + gap < blocks; b += 2 * gap) partial[b].merge(partial[b + gap]);
        }
        finish(partial[0], output, 0, a);
    }

    /** Adds the elements {@code [from, to)}, whole rows, to accumulators of the outputs from {@code base} on. */
    private static void accumulate(Axes a, MappedInput in, Accumulators acc, long from, long to, long base) {
        int last = a.dims.length - 1;
        // A single reduced dimension is cut into blocks that are shorter than its whole run.
        long run = Math.min(a.dims[last], to - from);
        if (run > Tile.SIZE) {
            for (long at = from; at < to; at += run) {
                int out = (int) (a.output(at) - base);
                if (a.reduced[last]) acc.mergeValue(out, pairwise(in, acc, at, run));
                else columns(in, acc, at, run, out);
            }
            return;
        }
        int rows = (int) (Tile.SIZE / run);
        for (long at = from; at < to; at += rows * run) {
            int n = (int) Math.min(rows * run, to - at);
            in.fetch(at, n);
            for (int r = 0; r < n; r += (int) run) {
                int out = (int) (a.output(at + r) - base);
                if (a.reduced[last]) acc.run(in, out, r, (int) run);
                else acc.columns(in, out, r, (int) run);
            }
        }
    }

    private static void columns(MappedInput in, Accumulators acc, long at, long run, int out) {
        for (long c = 0; c < run; c += Tile.SIZE) {
            int n = (int) Math.min(Tile.SIZE, run - c);
            in.fetch(at + c, n);
            acc.columns(in, out + (int) c, 0, n);
        }
    }

    /** A run reduced by halves, so that the error of sums grows with the logarithm of its length. */
    private static Accumulators pairwise(MappedInput in, Accumulators like, long at, long n) {
        if (n <= Tile.SIZE) {
            Accumulators a = like.empty(1);
            in.fetch(at, (int) n);
            a.run(in, 0, 0, (int) n);
            return a;
        }
        long half = (n / 2 + Tile.SIZE - 1) / Tile.SIZE * Tile.SIZE;
        Accumulators left = pairwise(in, like, at, half);
        left.merge(pairwise(in, like, at + half, n - half));
        return left;
    }

    private Accumulators accumulators(long n) {
        int size = Math.toIntExact(n);
        if (plan.isComplex()) return new ComplexAccumulators(operation, size);
        return plan.isInteger()
                ? new LongAccumulators(operation, dtype, size)
                : new DoubleAccumulators(operation, size);
    }

    private void finish(Accumulators acc, Tensor output, long at, Axes a) {
        acc.store(output, at, a.total == 0 ? 0 : a.total / a.kept);
    }
}
