package dev.oxbow.kernels.expr.reduce;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Evaluation;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel.Mode;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ReductionTest {
    /** Runs the ranges one by one in reverse, cut at every grain. */
    private static final Parallel BACKWARDS = (n, grain, task) -> {
        for (long from = (n - 1) / grain * grain; from >= 0; from -= grain) task.run(from, Math.min(n, from + grain));
    };

    private static final long[][] SHAPES = {
        {},
        {1},
        {7},
        {5000},
        {3, 4},
        {1, 4},
        {130, 3},
        {3, 2000},
        {2000, 3},
        {2, 3, 4, 5},
        {70000},
        {3, 1, 1100, 2},
        {40, 1500}
    };

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"SUM", "MEAN", "PROD", "MAX", "MIN", "EUCLIDEAN_NORM"})
    void equalsTheNaiveLoopAlongAnyAxes(Operation op) {
        Random random = new Random(5);
        for (DType dtype : new DType[] {DType.F32, DType.F64, DType.I32, DType.U8, DType.BF16, DType.U64}) {
            for (long[] dims : SHAPES) {
                Shape shape = Shape.of(dims);
                Tensor x = Tensor.allocate(dtype, shape);
                for (long i = 0; i < x.size(); i++)
                    x.set(
                            i,
                            op == Operation.PROD ? 1 + random.nextInt(2) * (i % 9000 == 0 ? 1 : 0) : random.nextInt(9));
                int mask = random.nextInt(1 << shape.rank());
                for (int m : new int[] {mask, (1 << shape.rank()) - 1, 0, 1 & (1 << shape.rank()) - 1}) {
                    int[] axes = IntStream.range(0, shape.rank())
                            .filter(d -> (m >> d & 1) != 0)
                            .toArray();
                    Tensor y = Tensor.allocate(dtype, kept(shape, m)), z = Tensor.allocate(dtype, kept(shape, m));
                    Reduction.of(op, dtype).run(Parallel.SERIAL, shape, axes, new Tensor[] {x}, y);
                    Reduction.of(op, dtype).run(BACKWARDS, shape, axes, new Tensor[] {x}, z);
                    assertArrayEquals(y.bytes(), z.bytes(), "depends on threads");
                    double[] wanted = naive(op, x, m);
                    for (int i = 0; i < wanted.length; i++) {
                        double tolerance =
                                dtype == DType.BF16 ? 1e-2 : dtype == DType.F16 ? 1e-3 : dtype == DType.F32 ? 1e-6 : 0;
                        double w = dtype.isInteger() ? narrow(dtype, (long) wanted[i]) : wanted[i];
                        if (dtype == DType.F16 && w > 65504) continue;
                        assertEquals(
                                w,
                                y.getDouble(i),
                                tolerance * w + 1e-12,
                                () -> op + " " + x + " along axes of mask " + m);
                    }
                }
            }
        }
    }

    private static long narrow(DType dtype, long v) {
        return dtype == DType.U8 ? v & 0xff : dtype == DType.I32 ? (int) v : v;
    }

    private static Shape kept(Shape shape, int mask) {
        Shape s = shape;
        for (int d = shape.rank() - 1; d >= 0; d--) if ((mask >> d & 1) != 0) s = s.withoutDim(d);
        return s;
    }

    private static double[] naive(Operation op, Tensor x, int mask) {
        Shape out = kept(x.shape(), mask);
        double[] r = new double[(int) out.size()];
        Arrays.fill(r, op == Operation.PROD ? 1 : op == Operation.MIN ? 1e300 : op == Operation.MAX ? -1e300 : 0);
        long[] strides = out.strides();
        for (long i = 0; i < x.size(); i++) {
            long rest = i, at = 0;
            for (int d = x.shape().rank() - 1, k = out.rank() - 1; d >= 0; d--) {
                long c = rest % x.shape().dim(d);
                rest /= x.shape().dim(d);
                if ((mask >> d & 1) == 0) at += c * strides[k--];
            }
            double v = x.getDouble(i);
            r[(int) at] = switch (op) {
                case SUM, MEAN -> r[(int) at] + v;
                case EUCLIDEAN_NORM -> r[(int) at] + v * v;
                case PROD -> r[(int) at] * v;
                case MAX, ANY -> Math.max(r[(int) at], v);
                case MIN, ALL -> Math.min(r[(int) at], v);
            };
        }
        double count = r.length == 0 ? 0 : (double) x.size() / r.length;
        for (int i = 0; i < r.length; i++) {
            if (op == Operation.MEAN) r[i] /= count;
            if (op == Operation.EUCLIDEAN_NORM) r[i] = Math.sqrt(r[i]);
        }
        return r;
    }

    @Test
    void emptyReductionsGiveTheNeutralElement() {
        assertEquals(0, reduce(Operation.SUM, DType.F32));
        assertEquals(1, reduce(Operation.PROD, DType.F32));
        assertEquals(Double.NEGATIVE_INFINITY, reduce(Operation.MAX, DType.F32));
        assertEquals(Double.POSITIVE_INFINITY, reduce(Operation.MIN, DType.F16));
        assertEquals(Integer.MIN_VALUE, reduce(Operation.MAX, DType.I32));
        assertEquals(255, reduce(Operation.MIN, DType.U8));
        assertEquals(-128, reduce(Operation.MAX, DType.I8));
        assertEquals(Double.NaN, reduce(Operation.MEAN, DType.F32));
        assertEquals(0, reduce(Operation.MEAN, DType.I32));
        assertEquals(1, reduce(Operation.ALL, DType.BOOL));
        assertEquals(0, reduce(Operation.ANY, DType.BOOL));
    }

    @Test
    void nanWinsWhereverItStands() {
        assertEquals(Double.NaN, reduce(Operation.MAX, DType.F32, 1, Double.NaN, 2));
        assertEquals(Double.NaN, reduce(Operation.MIN, DType.F64, Double.NaN, 1));
        assertEquals(-3, reduce(Operation.MEAN, DType.I32, -3, -4));
        assertEquals(200, reduce(Operation.MEAN, DType.U8, 200, 200));
        assertEquals(144, reduce(Operation.SUM, DType.U8, 200, 200));
        assertEquals(0, reduce(Operation.ALL, DType.BOOL, 1, 0, 1));
        assertEquals(1, reduce(Operation.ANY, DType.BOOL, 0, 0, 1));
    }

    @Test
    void longSumsStayAccurate() {
        float[] ones = new float[3_000_001];
        Arrays.fill(ones, 0.1f);
        Tensor x = Tensor.of(Shape.of(ones.length), ones), y = Tensor.allocate(DType.F32, Shape.SCALAR);
        Reduction.of(Operation.SUM, DType.F32).run(BACKWARDS, x.shape(), new int[] {0}, new Tensor[] {x}, y);
        assertEquals((float) (3_000_001 * (double) 0.1f), y.floats()[0]);
    }

    @Test
    void aMapIsAppliedToBroadcastInputsFirst() {
        Expr product = Expr.input(0, DType.F32).times(Expr.input(1, DType.F32));
        Tensor a = Tensor.of(Shape.of(2, 3), 1f, 2, 3, 4, 5, 6), b = Tensor.of(Shape.of(3), 1f, 10, 100);
        Tensor y = Tensor.allocate(DType.F32, Shape.of(2));
        Reduction.of(Operation.SUM, product).run(Parallel.SERIAL, a.shape(), new int[] {-1}, new Tensor[] {a, b}, y);
        assertArrayEquals(new float[] {321, 654}, y.floats());
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"SUM", "MEAN", "PROD", "MAX", "MIN", "EUCLIDEAN_NORM"})
    void fusedIsEqualToUnfusedBitForBitInEveryMode(Operation op) {
        Random random = new Random(7);
        long[][] shapes = {{3, 70}, {1000, 5}, {2, 3, 300}, {2, 300, 3}, {17, 2, 5, 33}, {70_001}, {300, 600}};
        for (DType dtype : new DType[] {DType.F32, DType.F64, DType.I32, DType.F16}) {
            Expr map = Expr.input(0, dtype).times(Expr.input(1, dtype)).plus(Expr.input(2, dtype));
            for (long[] dims : shapes) {
                Shape shape = Shape.of(dims), last = shape.slice(shape.rank() - 1, shape.rank());
                Tensor[] in = {
                    Evaluation.randomTensor(random, dtype, shape),
                    Evaluation.randomTensor(random, dtype, random.nextBoolean() ? last : shape.withDim(-1, 1)),
                    Evaluation.randomTensor(random, dtype, Shape.SCALAR)
                };
                int m = 1 + random.nextInt((1 << shape.rank()) - 1);
                int[] axes = IntStream.range(0, shape.rank())
                        .filter(d -> (m >> d & 1) != 0)
                        .toArray();
                Tensor mapped = Tensor.allocate(dtype, shape), wanted = Tensor.allocate(dtype, kept(shape, m));
                ElementwiseKernel.of(map).run(Parallel.SERIAL, shape, in, new Tensor[] {mapped});
                Reduction.of(op, dtype).run(Parallel.SERIAL, shape, axes, new Tensor[] {mapped}, wanted);
                for (Mode mode : Mode.values()) {
                    // Code that the JIT compiler has not seen is slow.
                    if (mode == Mode.COMPILED && shape.size() > 7000) continue;
                    Tensor y = Tensor.allocate(dtype, wanted.shape());
                    Reduction.of(op, map).run(mode, BACKWARDS, shape, axes, in, new Tensor[] {y});
                    Evaluation.assertEqualBits(wanted, y, op + " " + mode + " of " + mapped + " mask " + m);
                }
            }
        }
    }

    @Test
    void complexSumsAndProducts() {
        Tensor x = Tensor.of(Shape.of(2, 2), 1f, 2, 3, -1).as(DType.C64, Shape.of(2));
        Tensor y = Tensor.allocate(DType.C64, Shape.SCALAR);
        Reduction.of(Operation.SUM, DType.C64).run(Parallel.SERIAL, x.shape(), new int[] {0}, new Tensor[] {x}, y);
        assertArrayEquals(new float[] {4, 1}, y.as(DType.F32, Shape.of(2)).floats());
        Reduction.of(Operation.PROD, DType.C64).run(Parallel.SERIAL, x.shape(), new int[] {0}, new Tensor[] {x}, y);
        assertArrayEquals(new float[] {5, 5}, y.as(DType.F32, Shape.of(2)).floats()); // (1 + 2i)(3 - i)
        Tensor norm = Tensor.allocate(DType.C64, Shape.SCALAR);
        Reduction.of(Operation.EUCLIDEAN_NORM, DType.C64)
                .run(Parallel.SERIAL, x.shape(), new int[] {0}, new Tensor[] {x}, norm);
        assertEquals((float) Math.sqrt(15), norm.as(DType.F32, Shape.of(2)).floats()[0]);
    }

    @Test
    void anAxisOutsideTheRankIsRejected() {
        Tensor x = Tensor.of(Shape.of(2), 1f, 2), y = Tensor.allocate(DType.F32, Shape.SCALAR);
        var e = assertThrows(
                OxbowException.class,
                () -> Reduction.of(Operation.SUM, DType.F32)
                        .run(Parallel.SERIAL, x.shape(), new int[] {1}, new Tensor[] {x}, y));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    }

    private static double reduce(Operation op, DType dtype, double... values) {
        Tensor y = Tensor.allocate(dtype, Shape.SCALAR);
        Tensor x = Evaluation.tensor(dtype, values);
        Reduction.of(op, dtype).run(Parallel.SERIAL, x.shape(), new int[] {0}, new Tensor[] {x}, y);
        return y.getDouble(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void argMaxIsTheFirstLargestIndex(int axis) {
        Random random = new Random(axis);
        for (DType dtype : new DType[] {DType.F32, DType.I64, DType.U64, DType.BF16}) {
            Shape shape = Shape.of(3, 1030, 5);
            Tensor x = Tensor.allocate(dtype, shape), y = Tensor.allocate(DType.I32, shape.withoutDim(axis));
            for (long i = 0; i < x.size(); i++) x.set(i, random.nextInt(100));
            ArgReduction.max(dtype).run(BACKWARDS, x, axis, y);
            long inner = shape.size(axis + 1, 3), n = shape.dim(axis);
            for (long o = 0; o < y.size(); o++) {
                long base = o / inner * n * inner + o % inner, best = 0;
                for (long i = 1; i < n; i++)
                    if (x.getDouble(base + i * inner) > x.getDouble(base + best * inner)) best = i;
                assertEquals(best, y.getLong(o));
            }
        }
    }

    @Test
    void argReductionsSkipNan() {
        Tensor y = Tensor.allocate(DType.I64, Shape.SCALAR);
        ArgReduction.max(DType.F32).run(Parallel.SERIAL, Evaluation.tensor(DType.F32, Double.NaN, Double.NaN, 3), 0, y);
        assertEquals(2, y.longs()[0]);
        ArgReduction.min(DType.F32).run(Parallel.SERIAL, Evaluation.tensor(DType.F32, Double.NaN, 1, Double.NaN), 0, y);
        assertEquals(1, y.longs()[0]);
        ArgReduction.max(DType.F32).run(Parallel.SERIAL, Evaluation.tensor(DType.F32, Double.NaN, Double.NaN), 0, y);
        assertEquals(0, y.longs()[0]);
    }

    @Test
    void scansRunForwardsBackwardsAndExclusively() {
        assertArrayEquals(new double[] {1, 3, 6, 10}, scan(Scan.Operation.SUM, DType.F32, false, false, 1, 2, 3, 4));
        assertArrayEquals(new double[] {0, 1, 3, 6}, scan(Scan.Operation.SUM, DType.I32, true, false, 1, 2, 3, 4));
        assertArrayEquals(new double[] {24, 24, 12, 4}, scan(Scan.Operation.PROD, DType.I64, false, true, 1, 2, 3, 4));
        assertArrayEquals(new double[] {24, 12, 4, 1}, scan(Scan.Operation.PROD, DType.F16, true, true, 1, 2, 3, 4));
        double[] lse = scan(Scan.Operation.LOG_SUM_EXP, DType.F64, true, false, 1, 2, 3);
        assertEquals(Double.NEGATIVE_INFINITY, lse[0]);
        assertEquals(2.3132616875182228, lse[2], 1e-15); // log(e + e^2)
    }

    @Test
    void scansAlongAMiddleAxisKeepColumnsApart() {
        Tensor x = Tensor.allocate(DType.I32, Shape.of(2, 1500, 3)), y = Tensor.allocate(DType.I32, x.shape());
        for (long i = 0; i < x.size(); i++) x.set(i, i % 7);
        Scan.of(Scan.Operation.SUM, DType.I32).run(BACKWARDS, x, 1, false, true, y);
        for (long o = 0; o < 2; o++) {
            for (long c = 0; c < 3; c++) {
                long sum = 0;
                for (long i = 1499; i >= 0; i--) {
                    sum += x.getLong(o * 4500 + i * 3 + c);
                    assertEquals(sum, y.getLong(o * 4500 + i * 3 + c));
                }
            }
        }
    }

    private static double[] scan(Scan.Operation op, DType dtype, boolean exclusive, boolean reverse, double... values) {
        Tensor x = Evaluation.tensor(dtype, values), y = Tensor.allocate(dtype, x.shape());
        Scan.of(op, dtype).run(Parallel.SERIAL, x, -1, exclusive, reverse, y);
        return Evaluation.doubles(y);
    }
}
