package dev.oxbow.kernels.expr;

import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.kernels.expr.interpret.Program.Constant;
import dev.oxbow.kernels.expr.interpret.Program.Instruction;
import dev.oxbow.kernels.expr.interpret.Program.Load;
import dev.oxbow.kernels.expr.interpret.Program.Store;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes programs of expressions: puts their nodes in order and gives each a register. */
public final class Assembler {
    private final List<Expr> outputs;
    private final Map<Kind, ArrayDeque<Integer>> free = new EnumMap<>(Kind.class);
    private final EnumMap<Kind, Integer> count = new EnumMap<>(Kind.class);
    private final Map<Expr, Integer> registers = new HashMap<>();

    private Assembler(List<Expr> outputs) {
        this.outputs = outputs;
    }

    /** The program that computes expressions. */
    public static Program assemble(List<Expr> outputs) {
        return new Assembler(outputs).assemble();
    }

    private Program assemble() {
        List<Expr> roots = new ArrayList<>();
        for (Expr out : outputs) {
            roots.add(out.real());
            if (out.dtype().isComplex()) roots.add(out.imag());
        }
        List<Expr> order = Dag.order(roots);
        Map<Expr, Integer> lastUse = lastUses(order, roots);
        List<Instruction> instructions = new ArrayList<>();
        List<Constant> constantList = new ArrayList<>();
        List<Load> loadList = new ArrayList<>();
        for (Expr e : order) {
            switch (e.op()) {
                case CONST -> {
                    if (aliasOf(e) == e) constantList.add(new Constant(e.kind(), fixed(e), e.bits()));
                }
                case INPUT -> {
                    if (!e.dtype().isComplex()) {
                        loadList.add(new Load((int) e.bits(), e.dtype(), 0, e.kind(), fixed(e)));
                    }
                }
                case REAL, IMAG -> {
                    int part = e.op() == Primitive.REAL ? 0 : 1;
                    loadList.add(new Load((int) e.arg(0).bits(), e.arg(0).dtype(), part, e.kind(), fixed(e)));
                }
                default -> {}
            }
        }
        for (int i = 0; i < order.size(); i++) {
            Expr e = order.get(i);
            if (isOperation(e)) instructions.add(instruction(e, i, lastUse));
        }
        return new Program(instructions, constantList, loadList, stores(), count);
    }

    private static boolean isOperation(Expr e) {
        return switch (e.op()) {
            case INPUT, CONST, REAL, IMAG, COMPLEX, AS -> false;
            default -> true;
        };
    }

    /** The node whose register holds the value: AS nodes own none. */
    private static Expr aliasOf(Expr e) {
        return e.op() == Primitive.AS ? e.arg(0) : e;
    }

    private Map<Expr, Integer> lastUses(List<Expr> order, List<Expr> roots) {
        Map<Expr, Integer> last = new HashMap<>();
        for (int i = 0; i < order.size(); i++) {
            Expr e = order.get(i);
            if (!isOperation(e)) continue;
            for (int a = 0; a < e.arity(); a++) last.put(aliasOf(e.arg(a)), i);
        }
        for (Expr root : roots) last.put(aliasOf(root), Integer.MAX_VALUE);
        return last;
    }

    private Instruction instruction(Expr e, int at, Map<Expr, Integer> lastUse) {
        int[] r = {-1, -1, -1};
        for (int a = 0; a < e.arity(); a++) r[a] = registers.get(aliasOf(e.arg(a)));
        for (int a = 0; a < e.arity(); a++) {
            Expr used = aliasOf(e.arg(a));
            if (isOperation(used) && lastUse.get(used) == at && lastUse.put(used, -1) != -1) {
                free.computeIfAbsent(Program.file(used.kind()), _ -> new ArrayDeque<>())
                        .push(registers.get(used));
            }
        }
        Kind kind = e.arg(e.op() == Primitive.SELECT ? 1 : 0).kind();
        ArrayDeque<Integer> reusable = free.get(Program.file(e.kind()));
        int target = reusable == null || reusable.isEmpty() ? next(e.kind()) : reusable.pop();
        registers.put(e, target);
        return new Instruction(e.op(), kind, e.kind(), e.function(), target, r[0], r[1], r[2]);
    }

    private int fixed(Expr e) {
        int register = next(e.kind());
        registers.put(e, register);
        return register;
    }

    private int next(Kind kind) {
        return count.merge(Program.file(kind), 1, Integer::sum) - 1;
    }

    private List<Store> stores() {
        List<Store> list = new ArrayList<>();
        for (int i = 0; i < outputs.size(); i++) {
            Expr out = outputs.get(i);
            if (out.dtype().isComplex()) {
                Expr re = out.real(), im = out.imag();
                list.add(new Store(i, out.dtype(), 0, re.kind(), registers.get(aliasOf(re))));
                list.add(new Store(i, out.dtype(), 1, im.kind(), registers.get(aliasOf(im))));
            } else {
                list.add(new Store(i, out.dtype(), 0, out.kind(), registers.get(aliasOf(out))));
            }
        }
        return list;
    }
}
