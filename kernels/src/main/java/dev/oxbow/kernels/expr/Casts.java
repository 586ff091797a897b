package dev.oxbow.kernels.expr;

import static dev.oxbow.kernels.expr.Lower.convert;
import static dev.oxbow.tensor.DType.BOOL;
import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;
import static dev.oxbow.tensor.DType.I32;
import static dev.oxbow.tensor.DType.I64;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.tensor.DType;

/** Conversion between any two dtypes, as TensorFlow's Cast gives it on x86, undefined cases included. */
final class Casts {

    /*
     * C++ leaves a float that does not fit its integer type undefined. What TensorFlow gives is what the
     * processor gives: the smallest i32 or i64, cut down to the width of the target.
     */

    private Casts() {}

    static Expr cast(Expr x, DType to) {
        require(!to.isObject(), INVALID_ARGUMENT, "Cast: %s to %s is not supported", x.dtype(), to);
        DType from = x.dtype();
        if (from == to) return x;
        if (to.isComplex()) {
            Expr im = from.isComplex() ? cast(x.imag(), to.real()) : Expr.constant(to.real(), 0);
            return Expr.complex(cast(x.real(), to.real()), im);
        }
        if (from.isComplex()) return cast(x.real(), to);
        if (to == BOOL) return x.notEqualTo(x.literal(0));
        if (from == BOOL) return Expr.select(x, Expr.constant(to, 1), Expr.constant(to, 0));
        Expr wide = Lower.widen(x);
        return to.isFloating() ? toFloat(wide, to) : toInteger(wide, to);
    }

    private static Expr toFloat(Expr x, DType to) {
        DType computing = Lower.computing(to);
        Expr y = switch (x.dtype()) {
            case U32 -> convert(computing, unsignedToLong(x));
            case U64 -> unsignedLongToFloat(x, computing);
            default -> convert(computing, x);
        };
        return Lower.narrow(to, y);
    }

    private static Expr toInteger(Expr x, DType to) {
        DType computing = Lower.computing(to);
        if (x.dtype().isFloating()) {
            Expr y = switch (computing) {
                case U32 -> convert(I32, truncate(x, I64));
                case U64 -> toUnsignedLong(x);
                default -> truncate(x, computing);
            };
            return Lower.narrow(to, y);
        }
        boolean widens = Kind.of(computing) == Kind.I64 && x.kind() == Kind.I32;
        Expr y = widens && x.dtype() == DType.U32 ? unsignedToLong(x) : convert(computing, x);
        return Lower.narrow(to, y);
    }

    /** Towards zero, and the smallest integer for what does not fit. */
    private static Expr truncate(Expr x, DType to) {
        Expr limit = x.literal(to == I32 ? 0x1p31 : 0x1p63);
        Expr smallest = Expr.constant(to, to == I32 ? Integer.MIN_VALUE : Long.MIN_VALUE);
        return Expr.select(x.abs().less(limit), convert(to, x), smallest);
    }

    private static Expr toUnsignedLong(Expr x) {
        Expr half = x.literal(0x1p63), top = Expr.constant(I64, Long.MIN_VALUE);
        Expr upper = truncate(x.minus(half), I64).xor(top);
        Expr inUpper = x.greaterEqual(half).and(x.less(x.literal(0x1p64)));
        return Expr.select(inUpper, upper, truncate(x, I64));
    }

    private static Expr unsignedToLong(Expr x) {
        return convert(I64, Lower.as(I32, x)).and(Expr.constant(I64, 0xffffffffL));
    }

    /** The upper half of the range is halved with the lost bit kept sticky, so that it is rounded only once. */
    private static Expr unsignedLongToFloat(Expr x, DType to) {
        Expr v = Lower.as(I64, x), one = Expr.constant(I64, 1);
        Expr half = Expr.node(Primitive.USHR, I64, v, one).or(v.and(one));
        Expr small = convert(to, v), large = convert(to, half);
        return Expr.select(v.less(Expr.constant(I64, 0)), large.plus(large), small);
    }

    static Expr widenToF64(Expr x) {
        return x.dtype() == F32 ? convert(F64, x) : x;
    }
}
