package dev.oxbow.collective.combine;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.PairLoop;
import dev.oxbow.tensor.DType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;

/** Operators whose loops are made from their expressions, once for each dtype. */
enum Loop {
    SUM(Expr::plus),
    PRODUCT(Expr::times),
    MIN(Expr::min),
    MAX(Expr::max),
    AND(Expr::and),
    OR(Expr::or),
    XOR(Expr::xor);

    private final BinaryOperator<Expr> operator;
    private final Map<DType, PairLoop> loops = new ConcurrentHashMap<>();

    Loop(BinaryOperator<Expr> operator) {
        this.operator = operator;
    }

    Combine of(DType dtype) {
        return loops.computeIfAbsent(dtype, d -> new PairLoop(d, operator))::run;
    }

    /** The bitwise loop for integers of any width: eight bytes at a time, then those that are left. */
    Combine bits(int width) {
        Combine words = of(DType.I64), bytes = of(DType.U8);
        return (to, from, count) -> {
            long whole = count * width & -8;
            words.combine(to, from, whole >> 3);
            bytes.combine(to + whole, from + whole, count * width - whole);
        };
    }
}
