package dev.oxbow.kernels.expr.cuda;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.DType;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/** Programs as functions of CUDA C: every instruction is one line that names a new value. */
public final class CudaText {

    /*
     * Each primitive has one right result, and each line is an operation of CUDA C whose documentation promises just that: the
     * intrinsics that round to nearest and are never contracted, unsigned arithmetic where Java wraps, conversions that look
     * for NaN first. What takes more than one operation is a function of the prelude, in the same language. Integer division
     * by something that may be 0 fails on the host with a message; it has no text, and neither have functions of tables.
     */

    private static final String TEMPLATE = """
            template <typename T, int V> struct alignas(sizeof(T) * V) Pack { T x[V]; };
            """;

    private CudaText() {}

    /** Whether there is text for formulas: they can not fail, and call no special function. */
    public static boolean supports(Collection<Expr> formulas) {
        for (Expr e : Expr.nodes(formulas)) {
            switch (e.op()) {
                case CALL, IPOW -> {
                    return false;
                }
                case DIV, REM, UDIV, UREM -> {
                    if (e.kind().isInteger() && !isNonZero(e.args().get(1))) return false;
                }
                default -> {}
            }
        }
        return true;
    }

    private static boolean isNonZero(Expr e) {
        return e.op() == Primitive.CONST && e.bits() != 0;
    }

    /** What stands before all kernels: the functions that lines call. */
    public static String prelude() {
        return TEMPLATE + CudaPrelude.TEXT;
    }

    /**
     * A function named {@code name} that computes a program for one element: a parameter for each of its loads, then a
     * reference for each of its stores.
     */
    public static String function(String name, Program p) {
        StringBuilder s = new StringBuilder("static __device__ __forceinline__ void ")
                .append(name)
                .append('(');
        Map<String, String> names = new HashMap<>();
        for (int i = 0; i < p.loads.length; i++) {
            Program.Load l = p.loads[i];
            s.append(i == 0 ? "" : ", ").append(type(l.kind())).append(" l").append(i);
            names.put(register(l.kind(), l.register()), "l" + i);
        }
        for (int i = 0; i < p.stores.length; i++)
            s.append(p.loads.length + i == 0 ? "" : ", ")
                    .append(type(p.stores[i].kind()))
                    .append("& s")
                    .append(i);
        s.append(") {\n");
        for (Program.Constant c : p.constants) names.put(register(c.kind(), c.register()), literal(c.kind(), c.bits()));
        int line = 0;
        for (Program.Instruction in : p.code) {
            String target = "v" + line++;
            s.append("  ")
                    .append(type(in.to()))
                    .append(' ')
                    .append(target)
                    .append(" = ")
                    .append(line(in, names))
                    .append(";\n");
            names.put(register(in.to(), in.target()), target);
        }
        for (int i = 0; i < p.stores.length; i++)
            s.append("  s")
                    .append(i)
                    .append(" = ")
                    .append(names.get(register(p.stores[i].kind(), p.stores[i].register())))
                    .append(";\n");
        return s.append("}\n").toString();
    }

    private static String register(Kind kind, int number) {
        return Program.file(kind) + ":" + number;
    }

    private static String line(Program.Instruction in, Map<String, String> names) {
        boolean selects = in.op() == Primitive.SELECT;
        String a = names.get(register(selects ? Kind.BOOL : in.kind(), in.a()));
        String b = in.b() < 0 ? null : names.get(register(in.kind(), in.b()));
        String c = in.c() < 0 ? null : names.get(register(in.kind(), in.c()));
        return switch (in.op()) {
            case SELECT -> "%s != 0 ? %s : %s".formatted(a, b, c);
            case LT -> "%s < %s ? 1 : 0".formatted(a, b);
            case LE -> "%s <= %s ? 1 : 0".formatted(a, b);
            case EQ -> "%s == %s ? 1 : 0".formatted(a, b);
            case CONVERT -> converted(in.kind(), in.to(), a);
            case BITCAST -> bits(in.kind(), a);
            case FMA -> "%s(%s, %s, %s)".formatted(in.kind() == Kind.F32 ? "__fmaf_rn" : "__fma_rn", a, b, c);
            case ROUND_F16 -> "ox_from_f16(ox_to_f16(%s))".formatted(a);
            case ROUND_BF16 -> "ox_from_bf16(ox_to_bf16(%s))".formatted(a);
            default -> in.kind().isFloating() ? floating(in, a, b) : integer(in, a, b);
        };
    }

    private static String floating(Program.Instruction in, String a, String b) {
        boolean single = in.kind() == Kind.F32;
        String suffix = single ? "f" : "d", width = single ? "_f32" : "_f64";
        return switch (in.op()) {
            case ADD -> "__%sadd_rn(%s, %s)".formatted(suffix, a, b);
            case SUB -> "__%ssub_rn(%s, %s)".formatted(suffix, a, b);
            case MUL -> "__%smul_rn(%s, %s)".formatted(suffix, a, b);
            case DIV -> "__%sdiv_rn(%s, %s)".formatted(suffix, a, b);
            case SQRT -> "__%ssqrt_rn(%s)".formatted(suffix, a);
            case REM -> "%s(%s, %s)".formatted(single ? "fmodf" : "fmod", a, b);
            case NEG -> "-%s".formatted(a);
            case ABS -> "%s(%s)".formatted(single ? "fabsf" : "fabs", a);
            case MIN -> "ox_min%s(%s, %s)".formatted(width, a, b);
            case MAX -> "ox_max%s(%s, %s)".formatted(width, a, b);
            default -> throw new AssertionError(in);
        };
    }

    private static String integer(Program.Instruction in, String a, String b) {
        boolean wide = in.kind() == Kind.I64;
        String unsigned = wide ? "unsigned long long" : "unsigned", signed = wide ? "long long" : "int";
        String width = wide ? "_i64" : "_i32", mask = wide ? "63" : "31";
        return switch (in.op()) {
            case ADD -> "(%s)((%s)%s + (%s)%s)".formatted(signed, unsigned, a, unsigned, b);
            case SUB -> "(%s)((%s)%s - (%s)%s)".formatted(signed, unsigned, a, unsigned, b);
            case MUL -> "(%s)((%s)%s * (%s)%s)".formatted(signed, unsigned, a, unsigned, b);
            case DIV -> "ox_div%s(%s, %s)".formatted(width, a, b);
            case REM -> "ox_rem%s(%s, %s)".formatted(width, a, b);
            case UDIV -> "(%s)((%s)%s / (%s)%s)".formatted(signed, unsigned, a, unsigned, b);
            case UREM -> "(%s)((%s)%s %% (%s)%s)".formatted(signed, unsigned, a, unsigned, b);
            case NEG -> "(%s)(0%s - (%s)%s)".formatted(signed, wide ? "ull" : "u", unsigned, a);
            case ABS -> "ox_abs%s(%s)".formatted(width, a);
            case MIN -> "%s < %s ? %s : %s".formatted(b, a, b, a);
            case MAX -> "%s < %s ? %s : %s".formatted(a, b, b, a);
            case AND -> "%s & %s".formatted(a, b);
            case OR -> "%s | %s".formatted(a, b);
            case XOR -> "%s ^ %s".formatted(a, b);
            case SHL -> "(%s)((%s)%s << (int)(%s & %s))".formatted(signed, unsigned, a, b, mask);
            case SHR -> "%s >> (int)(%s & %s)".formatted(a, b, mask);
            case USHR -> "(%s)((%s)%s >> (int)(%s & %s))".formatted(signed, unsigned, a, b, mask);
            case POPCOUNT -> wide ? "(long long)__popcll(%s)".formatted(a) : "__popc(%s)".formatted(a);
            default -> throw new AssertionError(in);
        };
    }

    private static String converted(Kind from, Kind to, String a) {
        return switch (from) {
            case I32 ->
                switch (to) {
                    case I64 -> "(long long)" + a;
                    case F32 -> "__int2float_rn(" + a + ")";
                    case F64 -> "__int2double_rn(" + a + ")";
                    default -> throw new AssertionError(to);
                };
            case I64 ->
                switch (to) {
                    case I32 -> "(int)" + a;
                    case F32 -> "__ll2float_rn(" + a + ")";
                    case F64 -> "__ll2double_rn(" + a + ")";
                    default -> throw new AssertionError(to);
                };
            case F32 ->
                switch (to) {
                    case I32 -> "%s != %s ? 0 : __float2int_rz(%s)".formatted(a, a, a);
                    case I64 -> "%s != %s ? 0ll : __float2ll_rz(%s)".formatted(a, a, a);
                    case F64 -> "(double)" + a;
                    default -> throw new AssertionError(to);
                };
            case F64 ->
                switch (to) {
                    case I32 -> "%s != %s ? 0 : __double2int_rz(%s)".formatted(a, a, a);
                    case I64 -> "%s != %s ? 0ll : __double2ll_rz(%s)".formatted(a, a, a);
                    case F32 -> "__double2float_rn(" + a + ")";
                    default -> throw new AssertionError(to);
                };
            case BOOL -> throw new AssertionError(from);
        };
    }

    private static String bits(Kind from, String a) {
        return switch (from) {
            case I32 -> "__int_as_float(" + a + ")";
            case I64 -> "__longlong_as_double(" + a + ")";
            case F32 -> "__float_as_int(" + a + ")";
            case F64 -> "__double_as_longlong(" + a + ")";
            case BOOL -> throw new AssertionError(from);
        };
    }

    /** A constant; floats by their bits. */
    static String literal(Kind kind, long bits) {
        return switch (kind) {
            case I32, BOOL -> "(int)0x%xu".formatted((int) bits);
            case I64 -> "(long long)0x%xull".formatted(bits);
            case F32 -> "__int_as_float((int)0x%xu)".formatted((int) bits);
            case F64 -> "__longlong_as_double((long long)0x%xull)".formatted(bits);
        };
    }

    /** What holds values of a kind. */
    static String type(Kind kind) {
        return switch (kind) {
            case I32, BOOL -> "int";
            case I64 -> "long long";
            case F32 -> "float";
            case F64 -> "double";
        };
    }

    /** What holds elements of a dtype in memory; of complex numbers, one part. */
    static String element(DType dtype) {
        return switch (dtype) {
            case F32, C64 -> "float";
            case F64, C128 -> "double";
            case I32, U32, QI32 -> "int";
            case I64, U64 -> "long long";
            case F16, BF16, U16, QU16 -> "unsigned short";
            case I16, QI16 -> "short";
            case I8, QI8 -> "signed char";
            case U8, QU8, BOOL -> "unsigned char";
            case STRING, RESOURCE, VARIANT -> throw new AssertionError(dtype);
        };
    }

    /** An element as a value of its kind. */
    static String loaded(DType dtype, String element) {
        return switch (dtype) {
            case F16 -> "ox_from_f16(" + element + ")";
            case BF16 -> "ox_from_bf16(" + element + ")";
            case BOOL -> "(" + element + " != 0 ? 1 : 0)";
            default -> element;
        };
    }

    /** A value as an element. */
    static String stored(DType dtype, String value) {
        return switch (dtype) {
            case F16 -> "ox_to_f16(" + value + ")";
            case BF16 -> "ox_to_bf16(" + value + ")";
            default -> "(" + element(dtype) + ")" + value;
        };
    }

    /** One element of a complex dtype is two in memory. */
    static int parts(DType dtype) {
        return dtype.isComplex() ? 2 : 1;
    }

    /** The names of {@code n} things, such as {@code l0, l1}. */
    static String list(String prefix, int n) {
        return String.join(", ", IntStream.range(0, n).mapToObj(i -> prefix + i).toList());
    }
}
