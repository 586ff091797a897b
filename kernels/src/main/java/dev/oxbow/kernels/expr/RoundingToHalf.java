package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.I32;

import dev.oxbow.kernels.expr.interpret.Primitive;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Rounding to f16 and bf16 in other primitives, for compilers whose targets lack it. */
public final class RoundingToHalf {
    private RoundingToHalf() {}

    /** The same expressions without {@code ROUND_F16} and {@code ROUND_BF16}. */
    public static List<Expr> expand(List<Expr> roots) {
        Map<Expr, Expr> to = new IdentityHashMap<>();
        for (Expr e : Dag.order(roots)) {
            Expr[] args = new Expr[e.arity()];
            for (int i = 0; i < args.length; i++) args[i] = to.get(e.arg(i));
            to.put(
                    e,
                    switch (e.op()) {
                        case INPUT, CONST -> e;
                        case CALL -> Expr.callNode(e.function(), args);
                        case ROUND_F16 -> Lower.as(e.dtype(), f16(args[0]));
                        case ROUND_BF16 -> Lower.as(e.dtype(), bf16(args[0]));
                        default -> Expr.node(e.op(), e.dtype(), args);
                    });
        }
        List<Expr> result = new ArrayList<>();
        for (Expr e : roots) result.add(to.get(e));
        return result;
    }

    private static Expr bf16(Expr x) {
        Expr bits = Lower.bitcast(I32, x);
        Expr quiet = bits.or(whole(0x400000)).and(whole(0xffff0000));
        return Lower.bitcast(F32, Expr.select(x.isNan(), quiet, nearest(bits, 16)));
    }

    /** Values below 2^-14 are multiples of 2^-24, to which adding a half rounds; 65,520 and above are infinite. */
    private static Expr f16(Expr x) {
        Expr m = x.abs(), half = x.literal(0.5);
        Expr normal = Lower.bitcast(F32, nearest(Lower.bitcast(I32, m), 13));
        Expr finite = Expr.select(m.less(x.literal(0x1p-14)), m.plus(half).minus(half), normal);
        Expr y = Expr.select(finite.less(x.literal(0x1p16)), finite, x.literal(Double.POSITIVE_INFINITY));
        return Expr.select(x.isNan(), x, Bits.withSignOf(x, y));
    }

    /** The bits with the low {@code n} rounded away, halves to even. */
    private static Expr nearest(Expr bits, int n) {
        Expr odd = Expr.node(Primitive.USHR, I32, bits, whole(n)).and(whole(1));
        Expr up = Expr.node(Primitive.ADD, I32, bits, whole((1 << n - 1) - 1));
        return Expr.node(Primitive.ADD, I32, up, odd).and(whole(-1 << n));
    }

    private static Expr whole(int value) {
        return Expr.constant(I32, value);
    }
}
