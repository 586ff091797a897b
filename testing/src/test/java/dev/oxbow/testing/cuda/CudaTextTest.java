package dev.oxbow.testing.cuda;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Node;
import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.DType;
import dev.oxbow.testing.samples.Families;
import dev.oxbow.testing.samples.Sample;
import dev.oxbow.testing.samples.SampleFamily;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Generated CUDA C means what the interpreter does, bit for bit, NaN payloads aside. */
final class CudaTextTest {
    private static final Set<Primitive> WITHOUT_TEXT = EnumSet.of(
            Primitive.INPUT,
            Primitive.CONST,
            Primitive.REAL,
            Primitive.IMAG,
            Primitive.COMPLEX,
            Primitive.AS,
            Primitive.IPOW,
            Primitive.CALL);

    @TestFactory
    Stream<DynamicTest> everyPrimitiveMeansTheSameInEveryKind() {
        List<DynamicTest> all = new ArrayList<>();
        for (Primitive op : Primitive.values()) {
            if (WITHOUT_TEXT.contains(op)) continue;
            for (Kind kind : Kind.values())
                for (Kind to : targets(op, kind))
                    all.add(DynamicTest.dynamicTest(
                            op + " " + kind + " " + to, () -> CudaMeaning.check(primitive(op, kind, to), 7)));
        }
        assertTrue(all.size() > 60, () -> "only " + all.size() + " primitives");
        return all.stream();
    }

    /** The kinds that a primitive gives for operands of a kind; none where there is no such primitive. */
    private static List<Kind> targets(Primitive op, Kind kind) {
        boolean floating = kind.isFloating(), whole = kind.isInteger();
        return switch (op) {
            case ADD, SUB, MUL, DIV, REM, NEG, ABS, MIN, MAX -> floating || whole ? List.of(kind) : List.of();
            case FMA, SQRT -> floating ? List.of(kind) : List.of();
            case UDIV, UREM, SHL, SHR, USHR, POPCOUNT -> whole ? List.of(kind) : List.of();
            case AND, OR, XOR -> floating ? List.of() : List.of(kind);
            case LT, LE -> kind == Kind.BOOL ? List.of() : List.of(Kind.BOOL);
            case EQ -> List.of(Kind.BOOL);
            case SELECT -> List.of(kind);
            case ROUND_F16, ROUND_BF16 -> kind == Kind.F32 ? List.of(kind) : List.of();
            case BITCAST ->
                switch (kind) {
                    case I32 -> List.of(Kind.F32);
                    case I64 -> List.of(Kind.F64);
                    case F32 -> List.of(Kind.I32);
                    case F64 -> List.of(Kind.I64);
                    case BOOL -> List.of();
                };
            case CONVERT ->
                kind == Kind.BOOL
                        ? List.of()
                        : Stream.of(Kind.I32, Kind.I64, Kind.F32, Kind.F64)
                                .filter(k -> k != kind)
                                .toList();
            default -> List.of();
        };
    }

    private static int arity(Primitive op) {
        return switch (op) {
            case FMA, SELECT -> 3;
            case SQRT, NEG, ABS, POPCOUNT, CONVERT, BITCAST, ROUND_F16, ROUND_BF16 -> 1;
            default -> 2;
        };
    }

    private static DType dtype(Kind kind) {
        return switch (kind) {
            case I32 -> DType.I32;
            case I64 -> DType.I64;
            case F32 -> DType.F32;
            case F64 -> DType.F64;
            case BOOL -> DType.BOOL;
        };
    }

    /** A program of one instruction. */
    private static Program primitive(Primitive op, Kind kind, Kind to) {
        List<Program.Load> loads = new ArrayList<>();
        Map<Kind, Integer> next = new EnumMap<>(Kind.class);
        int[] registers = {-1, -1, -1};
        for (int i = 0; i < arity(op); i++) {
            Kind k = op == Primitive.SELECT && i == 0 ? Kind.BOOL : kind;
            registers[i] = next.merge(Program.file(k), 1, Integer::sum) - 1;
            loads.add(new Program.Load(i, dtype(k), 0, k, registers[i]));
        }
        int target = next.merge(Program.file(to), 1, Integer::sum) - 1;
        return new Program(
                List.of(new Program.Instruction(op, kind, to, null, target, registers[0], registers[1], registers[2])),
                List.of(),
                loads,
                List.of(new Program.Store(0, dtype(to), 0, to, target)),
                new EnumMap<>(next));
    }

    @TestFactory
    Stream<DynamicTest> everyElementwiseOpMeansTheSame() {
        Set<List<Expr>> seen = new HashSet<>();
        List<DynamicTest> all = new ArrayList<>();
        for (SampleFamily f : Families.all())
            for (Sample s : f.samples())
                for (Node n : s.graph().nodes()) {
                    if (!(n.op() instanceof Elementwise e)) continue;
                    List<Expr> inputs = new ArrayList<>();
                    boolean numbers = true;
                    for (int i = 0; i < e.operands(n.inputCount()); i++) {
                        DType t = n.input(i).type().dtype();
                        numbers &= !t.isObject();
                        if (numbers) inputs.add(Expr.input(i, t));
                    }
                    if (!numbers) continue;
                    List<Expr> made = e.expressions(inputs);
                    if (!CudaText.supports(made) || !seen.add(made)) continue;
                    String name = n.op().signature().name() + " " + inputs;
                    all.add(DynamicTest.dynamicTest(
                            name, () -> CudaMeaning.check(Assembler.assemble(made), name.hashCode())));
                }
        assertTrue(all.size() > 400, () -> "only " + all.size() + " formulas");
        return all.stream();
    }

    @Test
    void whatCanFailOrHasATableHasNoText() {
        Expr i = Expr.input(0, DType.I32), j = Expr.input(1, DType.I32), x = Expr.input(0, DType.F64);
        assertFalse(CudaText.supports(List.of(i.dividedBy(j))));
        assertTrue(CudaText.supports(List.of(i.dividedBy(i.literal(3)))));
        assertFalse(CudaText.supports(List.of(i.pow(j))));
        assertFalse(CudaText.supports(List.of(x.pow(x))));
    }
}
