package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;
import static dev.oxbow.tensor.DType.I32;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/** Narrow types by way of the type that computes for them: f32 for f16 and bf16, i32 for integers below 32 bits. */
final class Lower {
    private Lower() {}

    /** The dtype in which values of {@code dtype} are computed. */
    static DType computing(DType dtype) {
        return switch (dtype) {
            case F16, BF16 -> F32;
            case I8, U8, I16, U16, QI8, QU8, QI16, QU16, QI32 -> I32;
            default -> dtype;
        };
    }

    static Expr widen(Expr x) {
        return Expr.node(Primitive.AS, computing(x.dtype()), x);
    }

    /** A computed value brought back to a narrow dtype: rounded or wrapped. */
    static Expr narrow(DType to, Expr x) {
        return switch (to) {
            case F16 -> Expr.node(Primitive.ROUND_F16, to, x);
            case BF16 -> Expr.node(Primitive.ROUND_BF16, to, x);
            case I8, QI8 -> as(to, signExtend(x, 24));
            case I16, QI16 -> as(to, signExtend(x, 16));
            case U8, QU8 -> as(to, Expr.node(Primitive.AND, I32, x, Expr.constant(I32, 0xff)));
            case U16, QU16 -> as(to, Expr.node(Primitive.AND, I32, x, Expr.constant(I32, 0xffff)));
            default -> as(to, x);
        };
    }

    static Expr as(DType to, Expr x) {
        return Expr.node(Primitive.AS, to, x);
    }

    private static Expr signExtend(Expr x, int shift) {
        Expr s = Expr.constant(I32, shift);
        return Expr.node(Primitive.SHR, I32, Expr.node(Primitive.SHL, I32, x, s), s);
    }

    /** {@code f} in the computing dtype, once, and back. */
    static Expr unary(Expr x, UnaryOperator<Expr> f) {
        return computing(x.dtype()) == x.dtype() ? f.apply(x) : narrow(x.dtype(), f.apply(widen(x)));
    }

    /** {@code f} in the computing dtype, once, and back. */
    static Expr binary(Expr x, Expr y, BinaryOperator<Expr> f) {
        same(x, y);
        if (computing(x.dtype()) == x.dtype()) return f.apply(x, y);
        return narrow(x.dtype(), f.apply(widen(x), widen(y)));
    }

    /** The same function computed in f64 and rounded once; for f32. */
    static Expr byF64(Expr x, UnaryOperator<Expr> f) {
        if (x.dtype() == F64) return f.apply(x);
        return convert(F32, f.apply(convert(F64, x)));
    }

    static Expr convert(DType to, Expr x) {
        return Kind.of(to) == x.kind() ? as(to, x) : Expr.node(Primitive.CONVERT, to, x);
    }

    static Expr bitcast(DType to, Expr x) {
        return Expr.node(Primitive.BITCAST, to, x);
    }

    static Expr special(Special function, Expr x, Expr... others) {
        require(
                x.dtype().isFloating() && function.arity() == 1 + others.length,
                INVALID_ARGUMENT,
                "%s: wants %d floating arguments, got %d of %s",
                function,
                function.arity(),
                1 + others.length,
                x.dtype());
        Expr[] args = new Expr[function.arity()];
        args[0] = x.cast(F64);
        for (int i = 0; i < others.length; i++) args[i + 1] = same(x, others[i]).cast(F64);
        return Expr.callNode(function, args).cast(x.dtype());
    }

    /** {@code y}, after checking that it has the dtype of {@code x}. */
    static Expr same(Expr x, Expr y) {
        require(x.dtype() == y.dtype(), INVALID_ARGUMENT, "Expr: operands differ: %s and %s", x.dtype(), y.dtype());
        return y;
    }

    static OxbowException unsupported(String operation, Expr x) {
        return new OxbowException(
                ErrorCode.INVALID_ARGUMENT, "Expr: " + operation + " is not defined for " + x.dtype());
    }

    /** Horner's rule with fused multiply-add, highest coefficient first. */
    static Expr polynomial(Expr x, double... coefficients) {
        Expr p = x.literal(coefficients[0]);
        for (int i = 1; i < coefficients.length; i++) p = p.fma(x, x.literal(coefficients[i]));
        return p;
    }
}
