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

/** Running sums, products and log-sum-exps along an axis, accumulated in f64 or i64. */
public final class Scan {

    /** What runs along the axis. */
    public enum Operation {
        SUM,
        PROD,
        /** {@code log(sum(exp(x)))}; minus infinity before the first value. */
        LOG_SUM_EXP
    }

    private final Operation operation;
    private final MappedInput.Plan plan;

    private Scan(Operation operation, DType dtype) {
        this.operation = operation;
        this.plan = MappedInput.Plan.of(Expr.input(0, dtype), false);
    }

    public static Scan of(Operation operation, DType dtype) {
        require(
                operation == Operation.LOG_SUM_EXP ? dtype.isFloating() : dtype != DType.BOOL && !dtype.isObject(),
                INVALID_ARGUMENT,
                "Scan: %s is not defined for %s",
                operation,
                dtype);
        return new Scan(operation, dtype);
    }

    /** Fills {@code output}, of the input's type; exclusive leaves out each element itself, reverse starts last. */
    public void run(Parallel parallel, Tensor input, int axis, boolean exclusive, boolean reverse, Tensor output) {
        Shape shape = input.shape();
        require(
                axis >= -shape.rank() && axis < shape.rank(),
                INVALID_ARGUMENT,
                "ScanOp: Expected scan axis in the range [%d, %d), but got %d",
                -shape.rank(),
                shape.rank(),
                axis);
        int d = axis < 0 ? axis + shape.rank() : axis;
        long outer = shape.size(0, d), n = shape.dim(d), inner = shape.size(d + 1, shape.rank());
        if (shape.size() == 0) return;
        int width = (int) Math.min(inner, Tile.SIZE);
        long strips = (inner + width - 1) / width;
        parallel.run(outer * strips, Math.max(1, (1 << 15) / (n * width)), (from, to) -> {
            MappedInput in = new MappedInput(plan, shape, new Tensor[] {input});
            Running running = new Running(width);
            for (long s = from; s < to; s++) {
                long column = s % strips * width, at = s / strips * n * inner + column;
                running.start();
                int columns = (int) Math.min(width, inner - column);
                if (inner == 1) line(in, running, at, n, exclusive, reverse, output);
                else strip(in, running, at, n, inner, columns, exclusive, reverse, output);
            }
        });
    }

    private void strip(
            MappedInput in,
            Running running,
            long at,
            long n,
            long inner,
            int columns,
            boolean exclusive,
            boolean reverse,
            Tensor output) {
        for (long i = 0; i < n; i++) {
            long row = at + (reverse ? n - 1 - i : i) * inner;
            in.fetch(row, columns);
            for (int c = 0; c < columns; c++) running.take(in, c, c, exclusive, output, row + c);
        }
    }

    private void line(
            MappedInput in, Running running, long at, long n, boolean exclusive, boolean reverse, Tensor output) {
        for (long done = 0; done < n; done += Tile.SIZE) {
            int m = (int) Math.min(Tile.SIZE, n - done);
            long from = reverse ? at + n - done - m : at + done;
            in.fetch(from, m);
            for (int k = 0; k < m; k++) {
                int i = reverse ? m - 1 - k : k;
                running.take(in, i, 0, exclusive, output, from + i);
            }
        }
    }

    /** The accumulated values of some neighbouring columns. */
    private final class Running {
        final double[] re;
        final double[] im;
        final long[] whole;

        Running(int columns) {
            re = new double[columns];
            im = new double[columns];
            whole = new long[columns];
        }

        void start() {
            double first = operation == Operation.SUM ? 0 : operation == Operation.PROD ? 1 : Double.NEGATIVE_INFINITY;
            Arrays.fill(re, first);
            Arrays.fill(im, 0);
            Arrays.fill(whole, operation == Operation.PROD ? 1 : 0);
        }

        /** Takes fetched value {@code i} into column {@code c} and writes element {@code to}. */
        void take(MappedInput in, int i, int c, boolean exclusive, Tensor output, long to) {
            if (exclusive) write(c, output, to);
            if (plan.isInteger()) {
                long x = in.longs()[i];
                whole[c] = operation == Operation.SUM ? whole[c] + x : whole[c] * x;
            } else if (plan.isComplex()) {
                takeComplex(in.doubles()[i], in.imaginary()[i], c);
            } else {
                double x = in.doubles()[i];
                re[c] = switch (operation) {
                    case SUM -> re[c] + x;
                    case PROD -> re[c] * x;
                    case LOG_SUM_EXP -> logSumExp(re[c], x);
                };
            }
            if (!exclusive) write(c, output, to);
        }

        private void takeComplex(double a, double b, int c) {
            if (operation == Operation.SUM) {
                re[c] += a;
                im[c] += b;
            } else {
                double r = re[c] * a - im[c] * b;
                im[c] = re[c] * b + im[c] * a;
                re[c] = r;
            }
        }

        private void write(int c, Tensor output, long to) {
            if (plan.isInteger()) output.setLong(to, whole[c]);
            else if (plan.isComplex()) ComplexProduct.write(output, to, re[c], im[c]);
            else output.set(to, re[c]);
        }
    }

    private static double logSumExp(double a, double b) {
        double large = Math.max(a, b), small = Math.min(a, b);
        if (Double.isInfinite(large) || Double.isNaN(large)) return large;
        return large + StrictMath.log1p(StrictMath.exp(small - large));
    }
}
