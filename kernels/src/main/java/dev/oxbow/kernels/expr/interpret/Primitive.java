package dev.oxbow.kernels.expr.interpret;

import dev.oxbow.kernels.expr.special.Special;

/** The operations that expressions are made of; each is exact or correctly rounded: it has one result everywhere. */
public enum Primitive {
    /** Input number {@code bits}. */
    INPUT,
    /** The value {@code bits}. */
    CONST,
    /** The real part of a complex input. */
    REAL,
    /** The imaginary part of a complex input. */
    IMAG,
    /** A complex value from its two parts; only a root is left as one. */
    COMPLEX,
    /** The same value under another dtype of the same kind; costs nothing. */
    AS,

    ADD,
    SUB,
    MUL,
    /** Truncates integers; a divisor of zero is an error. */
    DIV,
    /** The remainder with the dividend's sign, as C's {@code fmod} and {@code %}. */
    REM,
    /** Unsigned {@link #DIV}. */
    UDIV,
    /** Unsigned {@link #REM}. */
    UREM,
    /** {@code a * b + c}, rounded once. */
    FMA,
    SQRT,
    NEG,
    ABS,
    /** NaN when either is; -0 is below 0. */
    MIN,
    /** NaN when either is; -0 is below 0. */
    MAX,

    AND,
    OR,
    XOR,
    /** Shifts take their count modulo the width, as Java does. */
    SHL,
    SHR,
    USHR,
    POPCOUNT,
    /** Integer power by wrapping multiplication; a negative exponent is an error. */
    IPOW,

    LT,
    LE,
    EQ,
    /** The second where the first is true, else the third. */
    SELECT,

    /** To another kind: integers wrap or extend their sign, floats round to nearest even; to integers as in Java. */
    CONVERT,
    /** The same bits as another kind of the same width. */
    BITCAST,
    /** The nearest f16, held as an f32. */
    ROUND_F16,
    /** The nearest bf16, held as an f32. */
    ROUND_BF16,
    /** A {@link Special} function of f64 values. */
    CALL
}
