package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.tensor.DType;

/** What the values of a row, or of a column, are reduced by. */
public enum Fold {
    /** Floats are summed in f64 and rounded once; integers wrap. */
    SUM,
    /** Floats are multiplied in f64 and rounded once; integers wrap. */
    PROD,
    /** NaN when any value is; -0 is below 0. */
    MAX,
    /** NaN when any value is; -0 is below 0. */
    MIN,
    /** The greatest number, passing over NaN; cheaper than {@link #MAX}. */
    GREATEST;

    /*
     * A row is folded in LANES lanes: value i goes to lane i modulo LANES, each lane takes its values in order,
     * and at the end the upper half of the lanes is folded into the lower one until one is left.
     * Every way to run a kernel keeps to this order whatever the width of its vectors. A lane starts
     * with the neutral value, which changes nothing when it is folded in again: so whoever likes may pad a row
     * with it.
     */

    public static final int LANES = 16;

    /** The kind in which values of {@code kind} are accumulated. */
    Kind accumulated(Kind kind) {
        return kind == Kind.F32 && (this == SUM || this == PROD) ? Kind.F64 : kind;
    }

    /** The bits of the neutral value in {@code kind}. */
    public long neutral(Kind kind) {
        double value = switch (this) {
            case SUM -> 0;
            case PROD -> 1;
            case MAX, GREATEST -> Double.NEGATIVE_INFINITY;
            case MIN -> Double.POSITIVE_INFINITY;
        };
        return switch (kind) {
            case F32 -> Float.floatToRawIntBits((float) value);
            case F64 -> Double.doubleToRawLongBits(value);
            case I32 -> (int) value;
            case I64 -> (long) value;
            case BOOL -> throw new AssertionError(this);
        };
    }

    /** The dtype of an accumulator of values of {@code dtype}. */
    public DType wide(DType dtype) {
        Kind kind = Kind.of(dtype);
        return switch (accumulated(kind)) {
            case F32 -> DType.F32;
            case F64 -> DType.F64;
            case I32 -> DType.I32;
            case I64 -> DType.I64;
            case BOOL -> throw new AssertionError(dtype);
        };
    }

    double apply(double a, double b) {
        return switch (this) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case GREATEST -> b > a ? b : a;
        };
    }

    long apply(long a, long b) {
        return switch (this) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX, GREATEST -> Math.max(a, b);
            case MIN -> Math.min(a, b);
        };
    }
}
