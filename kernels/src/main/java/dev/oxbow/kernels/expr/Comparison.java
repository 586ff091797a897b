package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.tensor.DType;

/** Orders, equality, classes of floats, and the choice between two values. */
final class Comparison {
    private Comparison() {}

    static Expr less(Expr x, Expr y) {
        return order(Primitive.LT, x, y);
    }

    static Expr lessEqual(Expr x, Expr y) {
        return order(Primitive.LE, x, y);
    }

    private static Expr order(Primitive op, Expr x, Expr y) {
        Arithmetic.numeric("an order", Lower.same(x, y));
        return Expr.node(op, DType.BOOL, ordered(x), ordered(y));
    }

    /** Wide unsigned values with the top bit turned, so that the signed order is theirs. */
    private static Expr ordered(Expr x) {
        return switch (x.dtype()) {
            case U32 -> x.xor(Expr.constant(DType.U32, Integer.MIN_VALUE));
            case U64 -> x.xor(Expr.constant(DType.U64, Long.MIN_VALUE));
            default -> x;
        };
    }

    static Expr equal(Expr x, Expr y) {
        Lower.same(x, y);
        if (x.dtype().isComplex())
            return x.real().equalTo(y.real()).and(x.imag().equalTo(y.imag()));
        if (x.dtype() == DType.BOOL) return x.xor(y).not();
        return Expr.node(Primitive.EQ, DType.BOOL, x, y);
    }

    static Expr approximatelyEqual(Expr x, Expr y, double tolerance) {
        Expr distance = x.minus(y).abs();
        return distance.less(distance.literal(tolerance));
    }

    static Expr select(Expr condition, Expr a, Expr b) {
        require(
                condition.dtype() == DType.BOOL,
                INVALID_ARGUMENT,
                "Expr: a condition must be bool, got %s",
                condition.dtype());
        Lower.same(a, b);
        if (a == b) return a;
        if (condition.op() == Primitive.CONST) return condition.bits() != 0 ? a : b;
        if (a.dtype().isComplex()) {
            return Expr.complex(select(condition, a.real(), b.real()), select(condition, a.imag(), b.imag()));
        }
        if (a.dtype() == DType.BOOL) return condition.and(a).or(condition.not().and(b));
        return Expr.node(Primitive.SELECT, a.dtype(), condition, a, b);
    }

    static Expr isNan(Expr x) {
        if (x.dtype().isComplex()) return isNan(x.real()).or(isNan(x.imag()));
        return x.dtype().isFloating() ? x.notEqualTo(x) : Expr.constant(false);
    }

    static Expr isInf(Expr x) {
        if (x.dtype().isComplex()) return isInf(x.real()).or(isInf(x.imag()));
        return x.dtype().isFloating() ? x.abs().equalTo(infinity(x)) : Expr.constant(false);
    }

    static Expr isFinite(Expr x) {
        if (x.dtype().isComplex()) return isFinite(x.real()).and(isFinite(x.imag()));
        return x.dtype().isFloating() ? x.abs().less(infinity(x)) : Expr.constant(true);
    }

    private static Expr infinity(Expr x) {
        return x.literal(Double.POSITIVE_INFINITY);
    }
}
