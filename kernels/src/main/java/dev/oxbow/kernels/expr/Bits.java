package dev.oxbow.kernels.expr;

import static dev.oxbow.kernels.expr.interpret.Primitive.AND;
import static dev.oxbow.kernels.expr.interpret.Primitive.OR;
import static dev.oxbow.kernels.expr.interpret.Primitive.SHL;
import static dev.oxbow.kernels.expr.interpret.Primitive.SHR;
import static dev.oxbow.kernels.expr.interpret.Primitive.USHR;
import static dev.oxbow.kernels.expr.interpret.Primitive.XOR;

import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.tensor.DType;

/** Bitwise operations of integers, logic of bools, and the bits of floats. */
final class Bits {
    private Bits() {}

    static Expr combine(Primitive op, Expr x, Expr y) {
        return Expr.node(op, integral(op.name(), x).dtype(), x, Lower.same(x, y));
    }

    static Expr not(Expr x) {
        if (x.dtype() == DType.BOOL) return Expr.node(XOR, DType.BOOL, x, Expr.constant(true));
        return Lower.unary(integral("not", x), v -> Expr.node(XOR, v.dtype(), v, Expr.constantOfBits(v.dtype(), -1)));
    }

    static Expr shiftLeft(Expr x, Expr count) {
        Expr n = limited(integral("a shift", x), Lower.same(x, count));
        return Lower.binary(x, n, (a, b) -> Expr.node(SHL, a.dtype(), a, b));
    }

    static Expr shiftRight(Expr x, Expr count) {
        Expr n = limited(integral("a shift", x), Lower.same(x, count));
        Primitive op = x.dtype().isUnsigned() ? USHR : SHR;
        return Lower.binary(x, n, (a, b) -> Expr.node(op, a.dtype(), a, b));
    }

    private static Expr limited(Expr x, Expr count) {
        Expr last = x.literal(8 * x.dtype().size() - 1);
        return count.dtype().isUnsigned() ? count.min(last) : count.clip(x.literal(0), last);
    }

    static Expr populationCount(Expr x) {
        if (!x.dtype().isInteger()) throw Lower.unsupported("populationCount", x);
        Expr v = Lower.widen(x);
        if (x.dtype() == DType.I8 || x.dtype() == DType.I16) {
            v = v.and(Expr.constant(DType.I32, (1 << 8 * x.dtype().size()) - 1));
        }
        return Lower.as(DType.U8, Lower.convert(DType.I32, Expr.node(Primitive.POPCOUNT, v.dtype(), v)));
    }

    /** The integer dtype of the same width as a computing float. */
    static DType integerOf(Expr x) {
        return x.dtype() == DType.F32 ? DType.I32 : DType.I64;
    }

    static Expr ofFloat(Expr x) {
        return Lower.bitcast(integerOf(x), x);
    }

    static Expr signMask(Expr x) {
        DType i = integerOf(x);
        return Expr.constant(i, i == DType.I32 ? Integer.MIN_VALUE : Long.MIN_VALUE);
    }

    /** {@code magnitude}, whose sign bit must be clear or that of {@code sign}, with the sign bit of {@code sign}. */
    static Expr withSignOf(Expr sign, Expr magnitude) {
        Expr bit = Expr.node(AND, integerOf(sign), ofFloat(sign), signMask(sign));
        return Lower.bitcast(sign.dtype(), Expr.node(OR, bit.dtype(), ofFloat(magnitude), bit));
    }

    static Expr nextAfter(Expr x, Expr y) {
        Lower.same(x, y);
        if (x.dtype() != DType.F32 && x.dtype() != DType.F64) throw Lower.unsupported("nextAfter", x);
        Expr zero = x.literal(0), bits = ofFloat(x), one = bits.literal(1);
        Expr inward = x.less(y).xor(x.less(zero)).not();
        Expr stepped = Lower.bitcast(x.dtype(), Expr.select(inward, bits.minus(one), bits.plus(one)));
        Expr smallest = withSignOf(y, Lower.bitcast(x.dtype(), one));
        Expr moved = Expr.select(x.equalTo(zero), smallest, stepped);
        return Expr.select(x.equalTo(y), y, Expr.select(x.isNan().or(y.isNan()), x.plus(y), moved));
    }

    private static Expr integral(String operation, Expr x) {
        if (x.dtype().isInteger() || x.dtype() == DType.BOOL) return x;
        throw Lower.unsupported(operation, x);
    }
}
