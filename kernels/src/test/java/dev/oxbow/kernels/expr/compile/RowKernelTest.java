package dev.oxbow.kernels.expr.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Threads;
import dev.oxbow.kernels.expr.Evaluation;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel.Mode;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RowKernelTest {
    private static final long[] COLUMNS = {0, 1, 3, 10, 15, 16, 17, 31, 32, 100, 1023, 1024, 2077};

    /** Every fold, kept values, values per row, columns and their number, in one formula of three passes. */
    private static RowKernel everything(DType dtype) {
        DType computed = dtype.size() >= 4 ? dtype : dtype.isFloating() ? DType.F32 : DType.I32;
        RowFormula f = new RowFormula();
        Expr x = f.matrix(dtype).cast(computed), scale = f.matrix(dtype).cast(computed);
        Expr bias = f.perRow(dtype).cast(computed), index = f.column().cast(computed);
        Expr max = f.fold(Fold.MAX, x), min = f.fold(Fold.MIN, x), greatest = f.fold(Fold.GREATEST, x);
        Expr y = f.keep(x.minus(max).times(scale).plus(index));
        Expr sum = f.fold(Fold.SUM, y), product = f.fold(Fold.PROD, y.plus(bias));
        f.storePerRow(min.times(bias).cast(dtype))
                .storePerRow(sum.minus(greatest).cast(dtype));
        f.store(y.times(bias).minus(sum).cast(dtype)).storePerRow(product).storePerRow(sum.less(max));
        return f.store(x.less(y.times(sum.plus(max)))).kernel();
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F64", "F16", "BF16", "I32", "I64", "I8"})
    void compiledAndInterpretedAreEqualBitForBit(DType dtype) {
        RowKernel kernel = everything(dtype);
        Random random = new Random(3);
        for (long columns : COLUMNS) {
            for (long rows : new long[] {1, 2, 37}) {
                Tensor[] in = {
                    Evaluation.randomTensor(random, dtype, Shape.of(rows, columns)),
                    Evaluation.randomTensor(random, dtype, Shape.of(columns)),
                    Evaluation.randomTensor(random, dtype, Shape.of(rows))
                };
                List<Tensor[]> all = new ArrayList<>();
                for (Mode mode : new Mode[] {Mode.INTERPRETED, Mode.COMPILED}) {
                    Tensor[] out = outputs(kernel, rows, columns);
                    kernel.run(mode, columns == 10 ? new Threads() : Parallel.SERIAL, rows, columns, in, out);
                    all.add(out);
                }
                for (int i = 0; i < all.get(0).length; i++) {
                    Evaluation.assertEqualBits(
                            all.get(0)[i], all.get(1)[i], dtype + " " + rows + " x " + columns + " output " + i);
                }
            }
        }
        if (VectorSupport.AVAILABLE) assertTrue(kernel.isCompiled());
    }

    private static Tensor[] outputs(RowKernel kernel, long rows, long columns) {
        Tensor[] out = new Tensor[kernel.program.outputs.length];
        for (int i = 0; i < out.length; i++) {
            Shape shape = kernel.program.perRow[i] ? Shape.of(rows) : Shape.of(rows, columns);
            out[i] = Tensor.zeros(kernel.program.outputs[i], shape);
        }
        return out;
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 100})
    void hotCodeGivesTheSameBits(int columns) {
        for (DType dtype : new DType[] {DType.F32, DType.F64, DType.I64}) {
            RowKernel kernel = everything(dtype);
            Random random = new Random(4);
            Tensor[] in = {
                Evaluation.randomTensor(random, dtype, Shape.of(50, columns)),
                Evaluation.randomTensor(random, dtype, Shape.of(columns)),
                Evaluation.randomTensor(random, dtype, Shape.of(1))
            };
            Tensor[] a = outputs(kernel, 50, columns), b = outputs(kernel, 50, columns);
            kernel.run(Mode.INTERPRETED, Parallel.SERIAL, 50, columns, in, a);
            for (int i = 0; i < 120; i++) kernel.run(Mode.COMPILED, Parallel.SERIAL, 50, columns, in, b);
            for (int i = 0; i < a.length; i++) Evaluation.assertEqualBits(a[i], b[i], dtype + " hot " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void sumsOfFloatsAreRoundedOnce(Mode mode) {
        RowFormula f = new RowFormula();
        RowKernel kernel = f.storePerRow(f.fold(Fold.SUM, f.matrix(DType.F32))).kernel();
        Tensor x = Tensor.of(Shape.of(2, 3), 1e8f, 1f, -1e8f, 1f, 2f, 3f), y = Tensor.zeros(DType.F32, Shape.of(2));
        kernel.run(mode, Parallel.SERIAL, 2, 3, new Tensor[] {x}, new Tensor[] {y});
        assertEquals(1, y.getDouble(0));
        assertEquals(6, y.getDouble(1));
    }

    @Test
    void aBusyKernelIsCompiledInTheBackground() {
        if (!VectorSupport.AVAILABLE) return;
        RowFormula f = new RowFormula();
        Expr x = f.matrix(DType.F32);
        RowKernel kernel = f.store(x.minus(f.fold(Fold.MAX, x)).exp()).kernel();
        Tensor a = Evaluation.randomTensor(new Random(4), DType.F32, Shape.of(64, 100));
        Tensor b = Tensor.allocate(DType.F32, a.shape());
        for (int run = 0; run < 1_000_000 && !kernel.isCompiled(); run++) {
            kernel.run(Mode.AUTO, Parallel.SERIAL, 64, 100, new Tensor[] {a}, new Tensor[] {b});
        }
        assertTrue(kernel.isCompiled());
    }
}
