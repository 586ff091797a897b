package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Expressions as a straight list of instructions over registers; a register holds one tile of one kind. */
final class Program {

    /*
     * Constants and inputs keep their registers, so that what is the same for all tiles is set once.
     * Other values give theirs back after their last use. BOOL shares the registers of I32.
     */

    /** One primitive; registers a, b, c are of {@code kind}, except a SELECT's condition a. */
    record Instruction(Primitive op, Kind kind, Kind to, Special function, int target, int a, int b, int c) {}

    /** A constant's register and bits. */
    record Constant(Kind kind, int register, long bits) {}

    /** A register filled from input {@code index}; of a complex input, part 0 or 1. */
    record Load(int index, DType dtype, int part, Kind kind, int register) {}

    /** A register stored to output {@code index}; of a complex output, part 0 or 1. */
    record Store(int index, DType dtype, int part, Kind kind, int register) {}

    final List<Expr> outputs;
    final Instruction[] code;
    final Constant[] constants;
    final Load[] loads;
    final Store[] stores;
    /** The number of inputs: one more than the highest that is used. */
    final int inputs;
    /** The dtype of each input, null where it is not used. */
    final DType[] inputTypes;

    private final Map<Kind, ArrayDeque<Integer>> free = new EnumMap<>(Kind.class);
    private final Map<Kind, Integer> count = new EnumMap<>(Kind.class);
    private final Map<Expr, Integer> registers = new HashMap<>();

    Program(List<Expr> outputs) {
        this.outputs = List.copyOf(outputs);
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
        this.code = instructions.toArray(Instruction[]::new);
        this.constants = constantList.toArray(Constant[]::new);
        this.loads = loadList.toArray(Load[]::new);
        this.stores = stores();
        int n = 0;
        for (Load load : loads) n = Math.max(n, load.index + 1);
        this.inputs = n;
        this.inputTypes = new DType[n];
        for (Load load : loads) {
            DType known = inputTypes[load.index];
            require(
                    known == null || known == load.dtype,
                    INVALID_ARGUMENT,
                    "Expr: input %d is both %s and %s",
                    load.index,
                    known,
                    load.dtype);
            inputTypes[load.index] = load.dtype;
        }
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
                free.computeIfAbsent(file(used.kind()), _ -> new ArrayDeque<>()).push(registers.get(used));
            }
        }
        Kind kind = e.arg(e.op() == Primitive.SELECT ? 1 : 0).kind();
        ArrayDeque<Integer> reusable = free.get(file(e.kind()));
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
        return count.merge(file(kind), 1, Integer::sum) - 1;
    }

    private static Kind file(Kind kind) {
        return kind == Kind.BOOL ? Kind.I32 : kind;
    }

    /** How many registers of a kind are needed. */
    int registers(Kind kind) {
        return count.getOrDefault(file(kind), 0);
    }

    private Store[] stores() {
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
        return list.toArray(Store[]::new);
    }
}
