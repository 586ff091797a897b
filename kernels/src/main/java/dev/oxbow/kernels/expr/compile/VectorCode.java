package dev.oxbow.kernels.expr.compile;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.Memory;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** Writes vector instructions over local variables of a method. */
final class VectorCode {

    /*
     * Bools are masks; a mask belongs to the kind that was compared and is cast when it meets another.
     * A local holds values of one kind only.
     */

    static final ClassDesc VECTOR = desc(Vector.class);
    static final ClassDesc MASK = desc(VectorMask.class);
    static final ClassDesc SPECIES = desc(VectorSpecies.class);
    static final ClassDesc OPERATORS = desc(VectorOperators.class);
    static final ClassDesc BINARY = desc(VectorOperators.Binary.class);
    static final ClassDesc ASSOCIATIVE = desc(VectorOperators.Associative.class);
    static final ClassDesc UNARY = desc(VectorOperators.Unary.class);
    static final ClassDesc COMPARISON = desc(VectorOperators.Comparison.class);
    static final ClassDesc CONVERSION = desc(VectorOperators.Conversion.class);
    static final ClassDesc SEGMENT = desc(MemorySegment.class);
    static final ClassDesc ORDER = desc(ByteOrder.class);

    final CodeBuilder code;
    final boolean has64;

    private final Map<Integer, Kind> maskKinds = new HashMap<>();
    private final Map<Integer, Long> constants = new HashMap<>();
    private final Map<Constant, Integer> constantLocals = new HashMap<>();

    private record Constant(Kind kind, long bits) {}

    /** Code whose vectors have as many lanes as there are 64-bit ones in the largest vector, or 32-bit ones. */
    VectorCode(CodeBuilder code, boolean has64) {
        this.code = code;
        this.has64 = has64;
    }

    int local() {
        return code.allocateLocal(TypeKind.REFERENCE);
    }

    /** The local that holds a constant in every lane; made where it is first asked for. */
    int constant(Kind kind, long bits) {
        return constantLocals.computeIfAbsent(new Constant(kind, bits), _ -> {
            int target = local();
            Runnable push = () -> {
                switch (kind) {
                    case F32 -> code.loadConstant(Float.intBitsToFloat((int) bits));
                    case F64 -> code.loadConstant(Double.longBitsToDouble(bits));
                    case I64 -> code.loadConstant(bits);
                    case I32, BOOL -> code.loadConstant((int) bits);
                }
            };
            broadcast(kind, push, target);
            constants.put(target, bits);
            return target;
        });
    }

    /** Brings the scalar that {@code push} leaves on the stack, for bools an int, to every lane of {@code target}. */
    void broadcast(Kind kind, Runnable push, int target) {
        Kind held = held(kind);
        ClassDesc v = vector(held);
        species(held);
        push.run();
        code.invokestatic(v, "broadcast", MethodTypeDesc.of(v, SPECIES, scalar(held)));
        put(kind, target);
    }

    /** Loads lanes from the address that {@code push} leaves, where {@code mask} is set; -1 is no mask. */
    void load(Kind kind, Runnable push, int mask, int target) {
        Kind held = held(kind);
        ClassDesc v = vector(held);
        species(held).getstatic(desc(Memory.class), "ALL", SEGMENT);
        push.run();
        order();
        if (mask < 0) {
            code.invokestatic(v, "fromMemorySegment", MethodTypeDesc.of(v, SPECIES, SEGMENT, CD_long, ORDER));
        } else {
            mask(mask, held);
            code.invokestatic(v, "fromMemorySegment", MethodTypeDesc.of(v, SPECIES, SEGMENT, CD_long, ORDER, MASK));
        }
        put(kind, target);
    }

    /** Stores lanes to the address that {@code push} leaves, where {@code mask} is set; -1 is no mask. */
    void store(Kind kind, int value, Runnable push, int mask) {
        number(kind, value);
        code.getstatic(desc(Memory.class), "ALL", SEGMENT);
        push.run();
        order();
        if (mask < 0) {
            code.invokevirtual(VECTOR, "intoMemorySegment", MethodTypeDesc.of(CD_void, SEGMENT, CD_long, ORDER));
        } else {
            mask(mask, held(kind));
            code.invokevirtual(VECTOR, "intoMemorySegment", MethodTypeDesc.of(CD_void, SEGMENT, CD_long, ORDER, MASK));
        }
    }

    /** Pushes the first lane as a scalar; of a mask, 0 or 1. */
    void first(Kind kind, int value) {
        number(kind, value);
        Kind held = held(kind);
        code.iconst_0().invokevirtual(vector(held), "lane", MethodTypeDesc.of(scalar(held), CD_int));
    }

    /** Where {@code mask} is set, {@code value}, elsewhere the constant: what a fold passes over. */
    void masked(Kind kind, int value, int constant, int mask, int target) {
        ClassDesc v = vector(kind);
        code.aload(constant).aload(value);
        mask(mask, kind);
        code.invokevirtual(v, "blend", MethodTypeDesc.of(v, VECTOR, MASK)).astore(target);
    }

    /** Pushes a value; of a mask, ones and zeros. */
    private void number(Kind kind, int value) {
        if (kind != Kind.BOOL) {
            code.aload(value);
            return;
        }
        ClassDesc v = vector(Kind.I32);
        species(Kind.I32).iconst_0().invokestatic(v, "broadcast", MethodTypeDesc.of(v, SPECIES, CD_int));
        code.iconst_1();
        mask(value, Kind.I32);
        code.invokevirtual(v, "blend", MethodTypeDesc.of(v, CD_int, MASK));
    }

    /** Takes what was made of memory, a vector in the kind's held form, from the stack. */
    private void put(Kind kind, int target) {
        if (kind == Kind.BOOL) {
            operator("NE", COMPARISON).iconst_0();
            code.invokevirtual(vector(Kind.I32), "compare", MethodTypeDesc.of(MASK, COMPARISON, CD_int));
            storeMask(target, Kind.I32);
        } else {
            code.astore(target);
        }
    }

    /** The kind in which memory has values: bools are ints there. */
    static Kind held(Kind kind) {
        return kind == Kind.BOOL ? Kind.I32 : kind;
    }

    static ClassDesc scalar(Kind kind) {
        return switch (kind) {
            case I32, BOOL -> CD_int;
            case I64 -> CD_long;
            case F32 -> CD_float;
            case F64 -> CD_double;
        };
    }

    /** Writes a primitive on the locals {@code a}, {@code b} and {@code c}. */
    void instruction(Program.Instruction in) {
        if (in.kind() == Kind.BOOL && in.op() != Primitive.SELECT) {
            logic(in);
            return;
        }
        ClassDesc v = vector(in.kind());
        switch (in.op()) {
            case ADD -> binary(in, "add");
            case SUB -> binary(in, "sub");
            case MUL -> binary(in, "mul");
            case DIV -> binary(in, "div");
            case MIN -> binary(in, "min");
            case MAX -> binary(in, "max");
            case AND -> binary(in, "and");
            case OR -> binary(in, "or");
            case XOR -> lanewise(in, "XOR", ASSOCIATIVE);
            case SHL -> shift(in, "LSHL");
            case SHR -> shift(in, "ASHR");
            case USHR -> shift(in, "LSHR");
            case SQRT -> unary(in, "sqrt");
            case NEG -> unary(in, "neg");
            case ABS -> unary(in, "abs");
            case POPCOUNT -> {
                code.aload(in.a());
                operator("BIT_COUNT", UNARY).invokevirtual(v, "lanewise", MethodTypeDesc.of(v, UNARY));
                code.astore(in.target());
            }
            case FMA -> {
                code.aload(in.a());
                code.aload(in.b());
                code.aload(in.c());
                code.invokevirtual(v, "fma", MethodTypeDesc.of(v, VECTOR, VECTOR));
                code.astore(in.target());
            }
            case LT, LE, EQ -> {
                code.aload(in.a());
                operator(in.op().name(), COMPARISON);
                code.aload(in.b());
                code.invokevirtual(v, "compare", MethodTypeDesc.of(MASK, COMPARISON, VECTOR));
                storeMask(in.target(), in.kind());
            }
            case SELECT -> {
                code.aload(in.c());
                code.aload(in.b());
                mask(in.a(), in.kind());
                code.invokevirtual(v, "blend", MethodTypeDesc.of(v, VECTOR, MASK));
                code.astore(in.target());
            }
            case CONVERT -> {
                code.aload(in.a());
                operator("" + letter(in.kind()) + '2' + letter(in.to()), CONVERSION);
                species(in.to()).iconst_0();
                code.invokevirtual(VECTOR, "convertShape", MethodTypeDesc.of(VECTOR, CONVERSION, SPECIES, CD_int));
                code.checkcast(vector(in.to())).astore(in.target());
            }
            case BITCAST -> {
                code.aload(in.a());
                code.invokevirtual(VECTOR, bitcast(in.to()), MethodTypeDesc.of(vector(in.to())));
                code.astore(in.target());
            }
            default -> throw new AssertionError(in);
        }
    }

    private void logic(Program.Instruction in) {
        Kind kind = maskKinds.get(in.a());
        mask(in.a(), kind);
        mask(in.b(), kind);
        String name = switch (in.op()) {
            case AND -> "and";
            case OR -> "or";
            case XOR -> "xor";
            default -> throw new AssertionError(in);
        };
        code.invokevirtual(MASK, name, MethodTypeDesc.of(MASK, MASK));
        storeMask(in.target(), kind);
    }

    private void unary(Program.Instruction in, String name) {
        ClassDesc v = vector(in.kind());
        code.aload(in.a());
        code.invokevirtual(v, name, MethodTypeDesc.of(v)).astore(in.target());
    }

    private void binary(Program.Instruction in, String name) {
        ClassDesc v = vector(in.kind());
        code.aload(in.a());
        code.aload(in.b());
        code.invokevirtual(v, name, MethodTypeDesc.of(v, VECTOR)).astore(in.target());
    }

    private void lanewise(Program.Instruction in, String operator, ClassDesc type) {
        ClassDesc v = vector(in.kind());
        code.aload(in.a());
        operator(operator, type);
        code.aload(in.b());
        code.invokevirtual(v, "lanewise", MethodTypeDesc.of(v, BINARY, VECTOR)).astore(in.target());
    }

    /** Constant counts become immediate operands. */
    private void shift(Program.Instruction in, String operator) {
        Long count = constants.get(in.b());
        if (count == null) {
            lanewise(in, operator, BINARY);
            return;
        }
        ClassDesc v = vector(in.kind());
        code.aload(in.a());
        operator(operator, BINARY);
        if (in.kind() == Kind.I32) code.loadConstant(count.intValue());
        else code.loadConstant(count.longValue());
        ClassDesc element = in.kind() == Kind.I32 ? CD_int : CD_long;
        code.invokevirtual(v, "lanewise", MethodTypeDesc.of(v, BINARY, element)).astore(in.target());
    }

    void mask(int local, Kind wanted) {
        code.aload(local);
        if (maskKinds.get(local) == wanted) return;
        species(wanted).invokevirtual(MASK, "cast", MethodTypeDesc.of(MASK, SPECIES));
    }

    void storeMask(int local, Kind kind) {
        maskKinds.put(local, kind);
        code.astore(local);
    }

    CodeBuilder species(Kind kind) {
        return code.getstatic(desc(Lanes.class), speciesName(kind), SPECIES);
    }

    String speciesName(Kind kind) {
        return has64 && !kind.is64() ? kind + "_BESIDE_64" : kind.name();
    }

    CodeBuilder operator(String name, ClassDesc type) {
        return code.getstatic(OPERATORS, name, type);
    }

    private CodeBuilder order() {
        return code.getstatic(ORDER, "LITTLE_ENDIAN", ORDER);
    }

    static ClassDesc vector(Kind kind) {
        return switch (kind) {
            case I32, BOOL -> desc(IntVector.class);
            case I64 -> desc(LongVector.class);
            case F32 -> desc(FloatVector.class);
            case F64 -> desc(DoubleVector.class);
        };
    }

    private static char letter(Kind kind) {
        return switch (kind) {
            case I32 -> 'I';
            case I64 -> 'L';
            case F32 -> 'F';
            case F64 -> 'D';
            case BOOL -> throw new AssertionError(kind);
        };
    }

    private static String bitcast(Kind to) {
        return switch (to) {
            case I32 -> "reinterpretAsInts";
            case I64 -> "reinterpretAsLongs";
            case F32 -> "reinterpretAsFloats";
            case F64 -> "reinterpretAsDoubles";
            case BOOL -> throw new AssertionError(to);
        };
    }

    static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }
}
