package dev.oxbow.kernels.expr.reduce;

import static dev.oxbow.kernels.expr.reduce.Reduction.Operation.MAX;
import static dev.oxbow.kernels.expr.reduce.Reduction.Operation.MEAN;
import static dev.oxbow.kernels.expr.reduce.Reduction.Operation.MIN;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.Fold;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** What the operations of {@link Reduction} fold, and what they make of it. */
final class Accumulation {
    private Accumulation() {}

    static Fold fold(Operation operation) {
        return switch (operation) {
            case SUM, MEAN, EUCLIDEAN_NORM -> Fold.SUM;
            case PROD -> Fold.PROD;
            case MAX, ANY -> Fold.MAX;
            case MIN, ALL -> Fold.MIN;
        };
    }

    /** The values to fold, each in a dtype that folds take; of complex numbers, two. */
    static List<Expr> values(Operation operation, Expr map) {
        DType dtype = map.dtype();
        if (operation == Operation.EUCLIDEAN_NORM) {
            Expr wide = map.cast(dtype.isComplex() ? DType.C128 : DType.F64);
            return List.of(wide.times(wide.conj()).real());
        }
        if (dtype.isComplex())
            return List.of(map.real().cast(DType.F64), map.imag().cast(DType.F64));
        if (dtype.isFloating()) return List.of(dtype == DType.F64 ? map : map.cast(DType.F32));
        if (dtype == DType.BOOL) return List.of(map.cast(DType.I32));
        boolean ordered = operation == MAX || operation == MIN;
        if (ordered && Kind.of(dtype) == Kind.I32 && dtype != DType.U32) return List.of(map.cast(DType.I32));
        Expr wide = map.cast(DType.I64);
        // With its top bit turned, the signed order of u64 is right.
        return List.of(ordered && dtype == DType.U64 ? wide.xor(topBit()) : wide);
    }

    private static Expr topBit() {
        return Expr.constant(DType.I64, Long.MIN_VALUE);
    }

    /** The results of maps from accumulators, and for means the count as the last two inputs, as f64 and as i64. */
    static List<Expr> results(Operation operation, List<Expr> maps, List<DType> accumulators) {
        List<Expr> results = new ArrayList<>();
        int at = 0, n = accumulators.size();
        for (Expr map : maps) {
            DType dtype = map.dtype();
            Expr a = Expr.input(at, accumulators.get(at++));
            Expr count = isFloating(dtype) ? Expr.input(n, DType.F64) : Expr.input(n + 1, DType.I64);
            if (operation == Operation.EUCLIDEAN_NORM) {
                results.add(a.sqrt().cast(dtype));
            } else if (dtype.isComplex()) {
                Expr im = Expr.input(at, accumulators.get(at++));
                boolean mean = operation == MEAN;
                results.add(Expr.complex(mean ? a.dividedBy(count) : a, mean ? im.dividedBy(count) : im)
                        .cast(dtype));
            } else if (operation == MEAN) {
                results.add(
                        dtype == DType.U64
                                ? a.cast(dtype).dividedBy(count.cast(dtype))
                                : a.dividedBy(count).cast(dtype));
            } else {
                boolean turned = dtype == DType.U64 && (operation == MAX || operation == MIN);
                results.add((turned ? a.xor(topBit()) : a).cast(dtype));
            }
        }
        return results;
    }

    private static boolean isFloating(DType dtype) {
        return dtype.isFloating() || dtype.isComplex();
    }

    /** Fills an output with the result of reducing nothing. */
    static void fillEmpty(Operation operation, Tensor output) {
        DType dtype = output.dtype();
        for (long i = 0; i < output.size(); i++) {
            if (dtype.isComplex()) {
                double v = operation == Operation.PROD ? 1 : operation == MEAN ? Double.NaN : 0;
                ComplexProduct.write(output, i, v, operation == MEAN ? Double.NaN : 0);
            } else if (dtype.isFloating()) {
                Fold fold = fold(operation);
                output.set(i, operation == MEAN ? Double.NaN : Double.longBitsToDouble(fold.neutral(Kind.F64)));
            } else {
                output.setLong(
                        i,
                        switch (operation) {
                            case SUM, MEAN, ANY, EUCLIDEAN_NORM -> 0;
                            case PROD, ALL -> 1;
                            case MAX -> lowest(dtype);
                            case MIN -> lowest(dtype) + (-1L >>> 64 - 8 * dtype.size());
                        });
            }
        }
    }

    private static long lowest(DType dtype) {
        return dtype.isUnsigned() || dtype == DType.QU8 || dtype == DType.QU16 ? 0 : -1L << 8 * dtype.size() - 1;
    }
}
