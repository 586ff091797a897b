package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.expr.interpret.Interpreter;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import java.lang.ref.WeakReference;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.UnaryOperator;

/**
 * A typed scalar formula over numbered inputs: an immutable node of a DAG in which equal formulas are one object.
 *
 * <p>Arithmetic and square roots are rounded correctly. In f32, over the whole range, other functions are off by at most
 * so many units in the last place: exp and log 1.5; expm1, log1p and erf 2; tanh and sigmoid 3; sin and cos 1 (up to
 * 2^45); the rest 4. In f64 exp, expm1, log, log1p, sin and cos are within 2, tanh, sigmoid, tan and erf within 4, the
 * rest within 6.
 */
public final class Expr {

    /*
     * Whatever is written with the methods below is at once lowered to a few dozen primitives over five
     * kinds of value: complex numbers become pairs, functions become polynomials, narrow types are
     * computed in i32 or f32 and brought back to their own range after every operation. Interpreter and
     * compilers know only the primitives, and primitives have one right result, so all of them agree bit
     * for bit, fused or not. Nodes are interned, so equality is identity and sharing survives; an
     * uninterned DAG would take exponential time to hash and compare.
     */

    private static final Map<Expr, WeakReference<Expr>> INTERNED = new WeakHashMap<>();
    private static final Expr[] NO_ARGS = {};

    private final Primitive op;
    private final DType dtype;
    private final long bits;
    private final Special function;
    private final Expr[] args;
    private final int hash;

    private Expr(Primitive op, DType dtype, long bits, Special function, Expr[] args) {
        this.op = op;
        this.dtype = dtype;
        this.bits = bits;
        this.function = function;
        this.args = args;
        int h = 31 * (31 * op.hashCode() + dtype.hashCode()) + Long.hashCode(bits);
        if (function != null) h = 31 * h + function.hashCode();
        for (Expr a : args) h = 31 * h + System.identityHashCode(a);
        this.hash = h;
    }

    /** Input number {@code index}, of any dtype but strings and handles. */
    public static Expr input(int index, DType dtype) {
        require(!dtype.isObject(), INVALID_ARGUMENT, "Expr: %s elements cannot be inputs of expressions", dtype);
        return intern(Primitive.INPUT, dtype, index, null, NO_ARGS);
    }

    /** The value nearest to {@code value} in {@code dtype}. */
    public static Expr constant(DType dtype, double value) {
        return switch (dtype) {
            case F32 -> constantOfBits(dtype, Float.floatToRawIntBits((float) value));
            case F64 -> constantOfBits(dtype, Double.doubleToRawLongBits(value));
            case F16 -> constantOfBits(dtype, Float.floatToRawIntBits(Half.fromF16(Half.toF16((float) value))));
            case BF16 -> constantOfBits(dtype, Float.floatToRawIntBits(Half.fromBf16(Half.toBf16((float) value))));
            case C64, C128 -> constant(dtype, value, 0);
            default -> constant(dtype, (long) value);
        };
    }

    /** The value of {@code value} in {@code dtype}, wrapped when it is too narrow. */
    public static Expr constant(DType dtype, long value) {
        return switch (dtype.storage()) {
            case I8 -> constantOfBits(dtype, (byte) value);
            case U8 -> constantOfBits(dtype, value & 0xff);
            case I16 -> constantOfBits(dtype, (short) value);
            case U16 -> constantOfBits(dtype, value & 0xffff);
            case I32, U32 -> constantOfBits(dtype, (int) value);
            case I64, U64 -> constantOfBits(dtype, value);
            case BOOL -> constantOfBits(dtype, value != 0 ? 1 : 0);
            default -> constant(dtype, (double) value);
        };
    }

    public static Expr constant(DType dtype, double re, double im) {
        return complex(constant(dtype.real(), re), constant(dtype.real(), im));
    }

    public static Expr constant(boolean value) {
        return constantOfBits(DType.BOOL, value ? 1 : 0);
    }

    static Expr constantOfBits(DType dtype, long bits) {
        return intern(Primitive.CONST, dtype, bits, null, NO_ARGS);
    }

    /** A constant of this expression's dtype. */
    public Expr literal(double value) {
        return constant(dtype, value);
    }

    public Primitive op() {
        return op;
    }

    public DType dtype() {
        return dtype;
    }

    public Kind kind() {
        return Kind.of(dtype);
    }

    /** The number of an input, or a constant as its kind's bits. */
    public long bits() {
        return bits;
    }

    /** The function of a CALL, else null. */
    public Special function() {
        return function;
    }

    public List<Expr> args() {
        return List.of(args);
    }

    Expr arg(int i) {
        return args[i];
    }

    int arity() {
        return args.length;
    }

    /** The number of different nodes, leaves included: what fusing costs. */
    public int size() {
        return Dag.order(List.of(this)).size();
    }

    /** Every node below {@code roots}, each once, arguments before users. */
    public static List<Expr> nodes(Collection<Expr> roots) {
        return Dag.order(roots);
    }

    /** This formula with input {@code i} replaced by {@code values.get(i)}, which must have its dtype. */
    public Expr substitute(List<Expr> values) {
        return Dag.substitute(List.of(this), values).getFirst();
    }

    @Override
    public boolean equals(Object o) {
        if (this == o) return true;
        if (!(o instanceof Expr e) || hash != e.hash || op != e.op || dtype != e.dtype || bits != e.bits) return false;
        if (function != e.function || args.length != e.args.length) return false;
        for (int i = 0; i < args.length; i++) if (args[i] != e.args[i]) return false;
        return true;
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** The node with this operation; applied to constants it is the constant result. */
    static Expr node(Primitive op, DType dtype, Expr... args) {
        if (op == Primitive.AS) {
            if (args[0].dtype == dtype) return args[0];
            if (args[0].op == Primitive.CONST) return constantOfBits(dtype, args[0].bits);
            if (args[0].op == Primitive.AS) return node(Primitive.AS, dtype, args[0].args);
        }
        Expr e = intern(op, dtype, 0, null, args);
        return Dag.isFoldable(e) ? constantOfBits(dtype, Interpreter.evaluate(Assembler.assemble(List.of(e)))) : e;
    }

    static Expr callNode(Special function, Expr... args) {
        return intern(Primitive.CALL, DType.F64, 0, function, args);
    }

    private static Expr intern(Primitive op, DType dtype, long bits, Special function, Expr[] args) {
        Expr made = new Expr(op, dtype, bits, function, args);
        synchronized (INTERNED) {
            WeakReference<Expr> known = INTERNED.get(made);
            Expr e = known == null ? null : known.get();
            if (e == null) INTERNED.put(e = made, new WeakReference<>(made));
            return e;
        }
    }

    @Override
    public String toString() {
        return Dag.toString(this);
    }

    public Expr plus(Expr y) {
        return Arithmetic.plus(this, y);
    }

    public Expr minus(Expr y) {
        return Arithmetic.minus(this, y);
    }

    public Expr times(Expr y) {
        return Arithmetic.times(this, y);
    }

    /** The quotient; of integers, truncated, with an error for zero. */
    public Expr dividedBy(Expr y) {
        return Division.quotient(this, y);
    }

    public Expr negated() {
        return Arithmetic.negated(this);
    }

    /** {@code this * y + z}, rounded once; for f32 and f64. */
    public Expr fma(Expr y, Expr z) {
        return node(Primitive.FMA, dtype, this, Lower.same(this, y), Lower.same(this, z));
    }

    /** The absolute value; for complex numbers the real modulus. */
    public Expr abs() {
        return Arithmetic.abs(this);
    }

    /** -1, 0 or 1; NaN for NaN; {@code z / |z|} for complex numbers. */
    public Expr sign() {
        return Arithmetic.sign(this);
    }

    public Expr square() {
        return times(this);
    }

    public Expr squaredDifference(Expr y) {
        return Arithmetic.squaredDifference(this, y);
    }

    public Expr reciprocal() {
        return Division.reciprocal(this);
    }

    public Expr max(Expr y) {
        return Arithmetic.max(this, y);
    }

    public Expr min(Expr y) {
        return Arithmetic.min(this, y);
    }

    /** {@code min(max(this, low), high)}. */
    public Expr clip(Expr low, Expr high) {
        return max(low).min(high);
    }

    public Expr floorDiv(Expr y) {
        return Division.floorDiv(this, y);
    }

    /** The remainder with the divisor's sign. */
    public Expr floorMod(Expr y) {
        return Division.floorMod(this, y);
    }

    public Expr truncateDiv(Expr y) {
        return Division.truncateDiv(this, y);
    }

    /** The remainder with the dividend's sign. */
    public Expr truncateMod(Expr y) {
        return Division.truncateMod(this, y);
    }

    /** {@code this / y}, and 0 where {@code y} is 0. */
    public Expr divNoNan(Expr y) {
        return Arithmetic.unlessZero(y, y.literal(0), dividedBy(y));
    }

    /** {@code this * y}, and 0 where {@code y} is 0. */
    public Expr mulNoNan(Expr y) {
        return Arithmetic.unlessZero(y, y.literal(0), times(y));
    }

    /** {@code this / y}, and 0 where this is 0. */
    public Expr xdivy(Expr y) {
        return Arithmetic.unlessZero(this, literal(0), dividedBy(y));
    }

    /** {@code this * log(y)}, and 0 where this is 0. */
    public Expr xlogy(Expr y) {
        return Arithmetic.unlessZero(this, literal(0), times(y.log()));
    }

    /** {@code this * log1p(y)}, and 0 where this is 0. */
    public Expr xlog1py(Expr y) {
        return Arithmetic.unlessZero(this, literal(0), times(y.log1p()));
    }

    public Expr less(Expr y) {
        return Comparison.less(this, y);
    }

    public Expr lessEqual(Expr y) {
        return Comparison.lessEqual(this, y);
    }

    public Expr greater(Expr y) {
        return Comparison.less(y, this);
    }

    public Expr greaterEqual(Expr y) {
        return Comparison.lessEqual(y, this);
    }

    public Expr equalTo(Expr y) {
        return Comparison.equal(this, y);
    }

    public Expr notEqualTo(Expr y) {
        return equalTo(y).not();
    }

    /** {@code |this - y| < tolerance}. */
    public Expr approximatelyEqual(Expr y, double tolerance) {
        return Comparison.approximatelyEqual(this, y, tolerance);
    }

    /** {@code a} where {@code condition} holds, else {@code b}. */
    public static Expr select(Expr condition, Expr a, Expr b) {
        return Comparison.select(condition, a, b);
    }

    /** Of bools or of the bits of integers. */
    public Expr and(Expr y) {
        return Bits.combine(Primitive.AND, this, y);
    }

    /** Of bools or of the bits of integers. */
    public Expr or(Expr y) {
        return Bits.combine(Primitive.OR, this, y);
    }

    /** Of bools or of the bits of integers. */
    public Expr xor(Expr y) {
        return Bits.combine(Primitive.XOR, this, y);
    }

    /** Of a bool or of the bits of an integer. */
    public Expr not() {
        return Bits.not(this);
    }

    /** Shifts left; counts below 0 or beyond the width count as the nearest that is possible. */
    public Expr shiftLeft(Expr count) {
        return Bits.shiftLeft(this, count);
    }

    /** Shifts right, keeping the sign of signed types; counts are limited as for {@link #shiftLeft}. */
    public Expr shiftRight(Expr count) {
        return Bits.shiftRight(this, count);
    }

    /** The number of ones among the bits, as u8. */
    public Expr populationCount() {
        return Bits.populationCount(this);
    }

    public Expr isNan() {
        return Comparison.isNan(this);
    }

    public Expr isInf() {
        return Comparison.isInf(this);
    }

    public Expr isFinite() {
        return Comparison.isFinite(this);
    }

    /** The next representable value towards {@code y}; f32 and f64. */
    public Expr nextAfter(Expr y) {
        return Bits.nextAfter(this, y);
    }

    /** This value in another dtype as TensorFlow's Cast gives it on x86. */
    public Expr cast(DType to) {
        return Casts.cast(this, to);
    }

    public static Expr complex(Expr re, Expr im) {
        return Complexes.complex(re, im);
    }

    /** The real part; a real value itself. */
    public Expr real() {
        return Complexes.real(this);
    }

    /** The imaginary part; zero for a real value. */
    public Expr imag() {
        return Complexes.imag(this);
    }

    public Expr conj() {
        return dtype.isComplex() ? complex(real(), imag().negated()) : this;
    }

    /** The argument of a complex number. */
    public Expr angle() {
        return Complexes.angle(this);
    }

    public Expr floor() {
        return Rounding.floor(this);
    }

    public Expr ceil() {
        return Rounding.ceil(this);
    }

    /** To the nearest whole number, halves to even. */
    public Expr round() {
        return Rounding.rint(this);
    }

    /** Towards zero. */
    public Expr truncated() {
        return Rounding.truncated(this);
    }

    public Expr sqrt() {
        return Powers.sqrt(this);
    }

    public Expr rsqrt() {
        return Powers.rsqrt(this);
    }

    public Expr pow(Expr y) {
        return Powers.pow(this, y);
    }

    public Expr exp() {
        return Function.EXP.of(this);
    }

    public Expr expm1() {
        return Function.EXPM1.of(this);
    }

    public Expr log() {
        return Function.LOG.of(this);
    }

    public Expr log1p() {
        return Function.LOG1P.of(this);
    }

    public Expr sigmoid() {
        return Function.SIGMOID.of(this);
    }

    public Expr sin() {
        return Function.SIN.of(this);
    }

    public Expr cos() {
        return Function.COS.of(this);
    }

    public Expr tan() {
        return Function.TAN.of(this);
    }

    public Expr asin() {
        return Function.ASIN.of(this);
    }

    public Expr acos() {
        return Function.ACOS.of(this);
    }

    public Expr atan() {
        return Function.ATAN.of(this);
    }

    /** The angle of the point {@code (x, this)}. */
    public Expr atan2(Expr x) {
        return Function.atan2(this, x);
    }

    public Expr sinh() {
        return Function.SINH.of(this);
    }

    public Expr cosh() {
        return Function.COSH.of(this);
    }

    public Expr tanh() {
        return Function.TANH.of(this);
    }

    public Expr asinh() {
        return Function.ASINH.of(this);
    }

    public Expr acosh() {
        return Function.ACOSH.of(this);
    }

    public Expr atanh() {
        return Function.ATANH.of(this);
    }

    public Expr erf() {
        return Function.ERF.of(this);
    }

    public Expr erfc() {
        return Function.ERFC.of(this);
    }

    /** A special function of this and {@code others}, all of one floating dtype. */
    public Expr special(Special function, Expr... others) {
        return Lower.special(function, this, others);
    }

    /** A function of this in the dtype that computes for its own, and back: f16 and bf16 are rounded once, at the end. */
    public Expr computed(UnaryOperator<Expr> function) {
        return Lower.unary(this, function);
    }

    public Expr relu() {
        return max(literal(0));
    }
}
