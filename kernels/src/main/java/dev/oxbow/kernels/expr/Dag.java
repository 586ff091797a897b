package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.expr.interpret.Primitive;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Walks over expression DAGs, without recursion: fused chains are deep. */
public final class Dag {
    private Dag() {}

    /** Every node below {@code roots}, each once, arguments before users. */
    public static List<Expr> order(Collection<Expr> roots) {
        Set<Expr> done = new LinkedHashSet<>();
        ArrayDeque<Expr> stack = new ArrayDeque<>();
        for (Expr root : roots) {
            stack.push(root);
            while (!stack.isEmpty()) {
                Expr e = stack.peek();
                boolean ready = true;
                for (int i = e.arity() - 1; i >= 0 && !done.contains(e); i--) {
                    if (done.contains(e.arg(i))) continue;
                    stack.push(e.arg(i));
                    ready = false;
                }
                if (!ready) continue;
                stack.pop();
                done.add(e);
            }
        }
        return List.copyOf(done);
    }

    /** The roots with input {@code i} replaced by {@code values.get(i)}. */
    public static List<Expr> substitute(List<Expr> roots, List<Expr> values) {
        Map<Expr, Expr> to = new IdentityHashMap<>();
        for (Expr e : order(roots)) {
            Expr[] args = new Expr[e.arity()];
            for (int i = 0; i < args.length; i++) args[i] = to.get(e.arg(i));
            to.put(
                    e,
                    switch (e.op()) {
                        case INPUT -> {
                            Expr v = values.get((int) e.bits());
                            require(
                                    v.dtype() == e.dtype(),
                                    INVALID_ARGUMENT,
                                    "Expr: input %d is %s, its substitute %s",
                                    e.bits(),
                                    e.dtype(),
                                    v.dtype());
                            yield v;
                        }
                        case CONST -> e;
                        case REAL -> args[0].real();
                        case IMAG -> args[0].imag();
                        case COMPLEX -> Expr.complex(args[0], args[1]);
                        case CALL -> Expr.callNode(e.function(), args);
                        default -> Expr.node(e.op(), e.dtype(), args);
                    });
        }
        return roots.stream().map(to::get).toList();
    }

    /** Whether the node is a pure operation on constants alone; what can fail is left to fail when it runs. */
    static boolean isFoldable(Expr e) {
        switch (e.op()) {
            case INPUT, CONST, REAL, IMAG, COMPLEX, CALL, IPOW -> {
                return false;
            }
            case DIV, REM, UDIV, UREM -> {
                if (!e.dtype().isFloating()) return false;
            }
            default -> {}
        }
        for (int i = 0; i < e.arity(); i++) if (e.arg(i).op() != Primitive.CONST) return false;
        return true;
    }

    /** One line per operation, numbered; for people. */
    static String toString(Expr root) {
        Map<Expr, String> names = new IdentityHashMap<>();
        List<String> lines = new ArrayList<>();
        for (Expr e : order(List.of(root))) {
            if (e.op() == Primitive.INPUT) {
                names.put(e, "in" + e.bits() + ":" + e.dtype());
            } else if (e.op() == Primitive.CONST) {
                names.put(e, constant(e) + ":" + e.dtype());
            } else {
                StringBuilder s = new StringBuilder(
                        e.op() == Primitive.CALL ? e.function().name() : e.op().name());
                for (Expr a : e.args()) s.append(' ').append(names.get(a));
                names.put(e, "%" + lines.size());
                lines.add("%" + lines.size() + ":" + e.dtype() + " = " + s);
            }
        }
        return lines.isEmpty() ? names.get(root) : String.join("\n", lines);
    }

    private static String constant(Expr e) {
        return switch (e.kind()) {
            case F32 -> Float.toString(Float.intBitsToFloat((int) e.bits()));
            case F64 -> Double.toString(Double.longBitsToDouble(e.bits()));
            case BOOL -> e.bits() != 0 ? "true" : "false";
            case I32, I64 -> Long.toString(e.bits());
        };
    }
}
