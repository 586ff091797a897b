package dev.oxbow.kernels.expr.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Evaluation;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.FunctionTest;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel.Mode;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class CompilationTest {
    private static final DType[] DTYPES = {
        DType.F32,
        DType.F32,
        DType.F64,
        DType.I32,
        DType.I64,
        DType.BOOL,
        DType.F16,
        DType.BF16,
        DType.I8,
        DType.U8,
        DType.I16,
        DType.U16,
        DType.U32,
        DType.U64,
        DType.C64,
        DType.C128
    };

    @ParameterizedTest
    @MethodSource("dev.oxbow.kernels.expr.FunctionTest#cases")
    void functionsAreEqualBitForBit(FunctionTest.Case c) {
        for (DType dtype : new DType[] {DType.F32, DType.F64, DType.F16, DType.BF16}) {
            Expr e = c.f().apply(Expr.input(0, dtype));
            double[] x = Evaluation.samples(DType.F32, new Random(1), 1e4, 333);
            assertSame(
                    List.of(e), Shape.of(x.length), new Tensor[] {Evaluation.tensor(dtype, x)}, c + " " + dtype, true);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomExpressionsAreEqualBitForBit(int seed) {
        Random random = new Random(seed);
        Shape out = shape(random);
        List<Expr> pool = new ArrayList<>();
        List<Tensor> inputs = new ArrayList<>();
        DType first = DTYPES[random.nextInt(DTYPES.length)];
        for (int i = 0; i < 4; i++) {
            DType dtype = i < 2 ? first : DTYPES[random.nextInt(DTYPES.length)];
            pool.add(Expr.input(i, dtype));
            inputs.add(Evaluation.randomTensor(random, dtype, broadcastable(random, out)));
        }
        int operations = 1 + random.nextInt(12);
        for (int i = 0; i < operations; i++) pool.add(grow(random, pool));
        List<Expr> outputs = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) outputs.add(pool.get(pool.size() - 1 - random.nextInt(3)));
        assertSame(outputs, out, inputs.toArray(Tensor[]::new), "seed " + seed, false);
    }

    static IntStream seeds() {
        return IntStream.range(0, 300);
    }

    private static Shape shape(Random random) {
        long[] dims = new long[random.nextInt(4)];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = switch (random.nextInt(5)) {
                case 0 -> 1;
                case 1 -> random.nextInt(300);
                default -> 1 + random.nextInt(20);
            };
        }
        return Shape.of(dims);
    }

    private static Shape broadcastable(Random random, Shape out) {
        if (random.nextInt(3) > 0) return out;
        Shape s = out.slice(random.nextInt(out.rank() + 1), out.rank());
        for (int d = 0; d < s.rank(); d++) if (random.nextInt(3) == 0) s = s.withDim(d, 1);
        return s;
    }

    private static Expr grow(Random random, List<Expr> pool) {
        Expr x = pool.get(random.nextInt(pool.size())), y = x;
        for (Expr e : pool) if (e.dtype() == x.dtype() && random.nextBoolean()) y = e;
        DType dtype = x.dtype();
        if (random.nextInt(5) == 0) return x.cast(DTYPES[random.nextInt(DTYPES.length)]);
        if (dtype == DType.BOOL) {
            Expr a = pool.get(random.nextInt(pool.size())), b = a;
            for (Expr e : pool) if (e.dtype() == a.dtype()) b = e;
            return pick(random, x.and(y), x.or(y), x.xor(y), x.not(), Expr.select(x, a, b));
        }
        if (dtype.isComplex()) {
            return pick(random, x.plus(y), x.times(y), x.dividedBy(y), x.conj(), x.real(), x.abs(), x.equalTo(y));
        }
        Expr common = pick(
                random,
                x.plus(y),
                x.minus(y),
                x.times(y),
                x.max(y),
                x.min(y),
                x.negated(),
                x.abs(),
                x.sign(),
                x.less(y),
                x.lessEqual(y),
                x.equalTo(y),
                x.notEqualTo(y),
                x.squaredDifference(y));
        if (dtype.isFloating()) {
            List<UnaryOperator<Expr>> functions = List.of(
                    Expr::exp,
                    Expr::log,
                    Expr::tanh,
                    Expr::sqrt,
                    Expr::sigmoid,
                    Expr::floor,
                    e -> e.clip(e.literal(0), e.literal(6)),
                    e -> e.computed(v -> Expr.select(v.less(v.literal(0)), v.expm1(), v)),
                    e -> e.computed(v -> v.exp().log1p()),
                    Expr::isNan,
                    Expr::round,
                    Expr::log1p,
                    Expr::rsqrt);
            return random.nextBoolean()
                    ? common
                    : functions.get(random.nextInt(functions.size())).apply(x);
        }
        return random.nextBoolean()
                ? common
                : pick(
                        random,
                        x.and(y),
                        x.or(y),
                        x.xor(y),
                        x.not(),
                        x.shiftLeft(y),
                        x.shiftRight(y),
                        x.populationCount());
    }

    private static Expr pick(Random random, Expr... options) {
        return options[random.nextInt(options.length)];
    }

    private static void assertSame(List<Expr> outputs, Shape out, Tensor[] inputs, String what, boolean mustCompile) {
        ElementwiseKernel kernel = ElementwiseKernel.of(outputs);
        Tensor[] a = allocate(outputs, out), b = allocate(outputs, out);
        kernel.run(Mode.INTERPRETED, Parallel.SERIAL, out, inputs, a);
        kernel.run(Mode.COMPILED, Parallel.SERIAL, out, inputs, b);
        if (mustCompile && VectorSupport.AVAILABLE) assertTrue(kernel.isCompiled(), what);
        for (int i = 0; i < a.length; i++)
            Evaluation.assertEqualBits(a[i], b[i], what + " output " + i + "\n" + outputs.get(i));
    }

    private static Tensor[] allocate(List<Expr> outputs, Shape out) {
        return outputs.stream().map(e -> Tensor.zeros(e.dtype(), out)).toArray(Tensor[]::new);
    }

    @Test
    void codeThatTheJitCompilerHasSeenGivesTheSameBits() {
        Random random = new Random(11);
        Shape shape = Shape.of(1031);
        Expr f = Expr.input(0, DType.F32),
                d = Expr.input(1, DType.F64),
                i = Expr.input(2, DType.I32),
                h = Expr.input(3, DType.F16);
        Tensor[] inputs = new Tensor[4];
        for (int k = 0; k < 4; k++) {
            inputs[k] =
                    Evaluation.randomTensor(random, List.of(f, d, i, h).get(k).dtype(), shape);
        }
        List<List<Expr>> kernels = List.of(
                List.of(f.exp().max(f).min(f.square()), f.cast(DType.I32), f.log1p()),
                List.of(d.tanh(), d.cast(DType.I64), d.sin(), f.less(d.cast(DType.F32))),
                List.of(i.cast(DType.I64).times(i.cast(DType.I64)).cast(DType.F32), i.shiftRight(i), i.cast(DType.U8)),
                List.of(h.times(h).plus(h), h.sigmoid(), h.floor(), h.max(h.negated())));
        for (List<Expr> outputs : kernels) {
            ElementwiseKernel kernel = ElementwiseKernel.of(outputs);
            Tensor[] out = allocate(outputs, shape);
            for (int run = 0; run < 300; run++) kernel.run(Mode.COMPILED, Parallel.SERIAL, shape, inputs, out);
            assertSame(outputs, shape, inputs, "hot", true);
        }
    }

    @Test
    void aBusyKernelIsCompiledInTheBackground() {
        if (!VectorSupport.AVAILABLE) return;
        Expr x = Expr.input(0, DType.F32), y = x.times(x).plus(x.literal(0.12345));
        ElementwiseKernel kernel = ElementwiseKernel.of(y);
        Tensor a = Evaluation.randomTensor(new Random(4), DType.F32, Shape.of(1 << 16)),
                b = Tensor.allocate(DType.F32, a.shape());
        for (int run = 0; run < 1_000_000 && !kernel.isCompiled(); run++) {
            kernel.run(Mode.AUTO, Parallel.SERIAL, a.shape(), new Tensor[] {a}, new Tensor[] {b});
        }
        assertTrue(kernel.isCompiled());
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void anOutputMayOverwriteAnInput(Mode mode) {
        Expr x = Expr.input(0, DType.F32), y = Expr.input(1, DType.F32);
        Tensor a = Evaluation.tensor(
                DType.F32, DoubleStream.iterate(0, v -> v + 1).limit(1500).toArray());
        Tensor b = Evaluation.tensor(
                DType.F32, DoubleStream.iterate(1, v -> v + 2).limit(1500).toArray());
        ElementwiseKernel.of(x.plus(y), x.minus(y))
                .run(mode, Parallel.SERIAL, a.shape(), new Tensor[] {a, b}, new Tensor[] {b, a});
        for (int i = 0; i < 1500; i++) {
            assertEquals(3 * i + 1, b.getDouble(i));
            assertEquals(-i - 1, a.getDouble(i));
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void rowsColumnsAndScalarsAreBroadcast(Mode mode) {
        Expr sum = Expr.input(0, DType.F32).plus(Expr.input(1, DType.F32)).plus(Expr.input(2, DType.F32));
        for (int columns : new int[] {3, 300, 1027}) {
            int rows = 5;
            Tensor row = Tensor.allocate(DType.F32, Shape.of(columns)),
                    column = Tensor.allocate(DType.F32, Shape.of(rows, 1));
            for (int i = 0; i < columns; i++) row.set(i, i);
            for (int i = 0; i < rows; i++) column.set(i, 10_000 * i);
            Tensor y = Tensor.allocate(DType.F32, Shape.of(rows, columns));
            ElementwiseKernel.of(sum)
                    .run(
                            mode,
                            Parallel.SERIAL,
                            y.shape(),
                            new Tensor[] {row, column, Tensor.scalar(0.5f)},
                            new Tensor[] {y});
            for (int i = 0; i < rows * columns; i++)
                assertEquals(i % columns + 10_000 * (i / columns) + 0.5, y.getDouble(i));
        }
    }

    @Test
    void emptyAndSingleElements() {
        Expr x = Expr.input(0, DType.F32);
        for (Mode mode : Mode.values()) {
            Tensor none = Tensor.allocate(DType.F32, Shape.of(0, 3)), one = Tensor.scalar(2f), y = Tensor.scalar(0f);
            ElementwiseKernel.of(x.exp())
                    .run(mode, Parallel.SERIAL, none.shape(), new Tensor[] {one}, new Tensor[] {none});
            ElementwiseKernel.of(x.square())
                    .run(mode, Parallel.SERIAL, Shape.SCALAR, new Tensor[] {one}, new Tensor[] {y});
            assertEquals(4, y.getDouble(0));
        }
    }

    @Test
    void fusedIsEqualToUnfusedForHalves() {
        for (DType dtype : new DType[] {DType.F16, DType.BF16}) {
            Expr x = Expr.input(0, dtype), y = Expr.input(1, dtype);
            Tensor a = Evaluation.randomTensor(new Random(1), dtype, Shape.of(500)),
                    b = Evaluation.randomTensor(new Random(2), dtype, Shape.of(500));
            Tensor fused = Evaluation.run(x.times(y).plus(x).exp(), a, b);
            Tensor step = Evaluation.run(x.exp(), Evaluation.run(x.plus(y), Evaluation.run(x.times(y), a, b), a));
            Evaluation.assertEqualBits(step, fused, "fused " + dtype);
        }
    }
}
