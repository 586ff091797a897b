package dev.oxbow.kernels.expr;

import java.util.Locale;
import java.util.function.UnaryOperator;

/** Elementary functions: a formula for f32 and f64, by which narrow floats go too, and one for complex numbers. */
enum Function {
    EXP(Exponentials::exp, Complexes::exp),
    EXPM1(Exponentials::expm1, Complexes::expm1),
    LOG(Logarithms::log, Complexes::log),
    LOG1P(Logarithms::log1p, Complexes::log1p),
    SIGMOID(Exponentials::sigmoid, Exponentials::complexSigmoid),
    SINH(Exponentials::sinh, Complexes::sinh),
    COSH(Exponentials::cosh, Complexes::cosh),
    TANH(Exponentials::tanh, Complexes::tanh),
    ASINH(Logarithms::asinh, Complexes::asinh),
    ACOSH(Logarithms::acosh, Complexes::acosh),
    ATANH(Logarithms::atanh, Complexes::atanh),
    SIN(x -> Lower.byF64(x, Trigonometry::sin), Complexes::sin),
    COS(x -> Lower.byF64(x, Trigonometry::cos), Complexes::cos),
    TAN(x -> Lower.byF64(x, Trigonometry::tan), Complexes::tan),
    ASIN(x -> Lower.byF64(x, InverseTrigonometry::asin), Complexes::asin),
    ACOS(x -> Lower.byF64(x, InverseTrigonometry::acos), Complexes::acos),
    ATAN(x -> Lower.byF64(x, InverseTrigonometry::atan), Complexes::atan),
    ERF(ErrorFunctions::erf, null),
    ERFC(x -> Lower.byF64(x, ErrorFunctions::erfc), null);

    private final UnaryOperator<Expr> real;
    private final UnaryOperator<Expr> complex;

    Function(UnaryOperator<Expr> real, UnaryOperator<Expr> complex) {
        this.real = real;
        this.complex = complex;
    }

    Expr of(Expr x) {
        if (x.dtype().isComplex() && complex != null) return complex.apply(x);
        return Lower.unary(Powers.floating(name().toLowerCase(Locale.ROOT), x), real);
    }

    static Expr atan2(Expr y, Expr x) {
        Powers.floating("atan2", y);
        return Lower.binary(y, x, (b, a) -> {
            Expr angle = InverseTrigonometry.atan2(Casts.widenToF64(b), Casts.widenToF64(a));
            return Lower.convert(b.dtype(), angle);
        });
    }
}
