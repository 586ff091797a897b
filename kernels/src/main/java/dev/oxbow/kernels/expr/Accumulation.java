package dev.oxbow.kernels.expr;

import static dev.oxbow.kernels.expr.Reduction.Operation.MAX;
import static dev.oxbow.kernels.expr.Reduction.Operation.MEAN;
import static dev.oxbow.kernels.expr.Reduction.Operation.MIN;
import static dev.oxbow.kernels.expr.Reduction.Operation.SUM;

import dev.oxbow.kernels.expr.Reduction.Operation;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
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
        if (dtype.isComplex()) return List.of(map.real().cast(DType.F64), map.imag().cast(DType.F64));
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

    /** The dtype of the count by which a mean divides. */
    static DType countType(DType dtype) {
        return dtype.isFloating() || dtype.isComplex() ? DType.F64 : DType.I64;
    }

    /** The result from accumulators, and for means the count as the last input. */
    static Expr result(Operation operation, DType dtype, List<DType> accumulators) {
        Expr a = Expr.input(0, accumulators.getFirst());
        Expr count = Expr.input(accumulators.size(), countType(dtype));
        if (operation == Operation.EUCLIDEAN_NORM) return a.sqrt().cast(dtype);
        if (dtype.isComplex()) {
            Expr b = Expr.input(1, accumulators.get(1));
            if (operation == MEAN) return Expr.complex(a.dividedBy(count), b.dividedBy(count)).cast(dtype);
            return Expr.complex(a, b).cast(dtype);
        }
        if (operation == MEAN && dtype == DType.U64) return a.cast(dtype).dividedBy(count.cast(dtype));
        if (operation == MEAN) return a.dividedBy(count).cast(dtype);
        boolean turned = dtype == DType.U64 && (operation == MAX || operation == MIN);
        return (turned ? a.xor(topBit()) : a).cast(dtype);
    }

    /** Fills an output with the result of reducing nothing. */
    static void fillEmpty(Operation operation, Tensor output) {
        DType dtype = output.dtype();
        boolean floating = dtype.isFloating() || dtype.isComplex();
        for (long i = 0; i < output.size(); i++) {
            if (dtype.isComplex()) {
                double v = operation == Operation.PROD ? 1 : operation == MEAN ? Double.NaN : 0;
                ComplexProduct.write(output, i, v, operation == MEAN ? Double.NaN : 0);
            } else if (floating) {
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
