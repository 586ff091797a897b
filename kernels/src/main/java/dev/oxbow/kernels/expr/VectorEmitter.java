package dev.oxbow.kernels.expr;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.oxbow.tensor.Memory;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.EnumMap;
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

/** Writes the body of {@link TileKernel#run}: constants, then a loop of loads, instructions and stores. */
final class VectorEmitter {

    /*
     * Registers become local variables. Bools are masks; a mask belongs to the kind that was compared and
     * is cast when it meets another. Offsets count bytes: one counter for 32-bit elements, one for 64-bit ones.
     */

    private static final ClassDesc VECTOR = desc(Vector.class);
    private static final ClassDesc MASK = desc(VectorMask.class);
    private static final ClassDesc SPECIES = desc(VectorSpecies.class);
    private static final ClassDesc OPERATORS = desc(VectorOperators.class);
    private static final ClassDesc BINARY = desc(VectorOperators.Binary.class);
    private static final ClassDesc ASSOCIATIVE = desc(VectorOperators.Associative.class);
    private static final ClassDesc UNARY = desc(VectorOperators.Unary.class);
    private static final ClassDesc COMPARISON = desc(VectorOperators.Comparison.class);
    private static final ClassDesc CONVERSION = desc(VectorOperators.Conversion.class);
    private static final ClassDesc SEGMENT = desc(MemorySegment.class);
    private static final ClassDesc ORDER = desc(ByteOrder.class);

    private static final int ADDRESSES = 1;
    private static final int COUNT = 2;

    private final Program program;
    private final CodeBuilder code;
    private final boolean has64;
    private final Map<Kind, Map<Integer, Integer>> locals = new EnumMap<>(Kind.class);
    private final Map<Integer, Kind> maskKinds = new HashMap<>();
    private final Map<Integer, Long> intConstants = new HashMap<>();
    private final Map<Integer, Long> longConstants = new HashMap<>();

    VectorEmitter(Program program, CodeBuilder code) {
        this.program = program;
        this.code = code;
        this.has64 = Compiler.has64(program);
    }

    void emit() {
        int streams = program.loads.length + program.stores.length;
        int[] address = new int[streams];
        for (int i = 0; i < streams; i++) {
            address[i] = code.allocateLocal(TypeKind.LONG);
            code.aload(ADDRESSES).loadConstant(i).laload().lstore(address[i]);
        }
        for (Program.Constant c : program.constants) constant(c);
        int at4 = code.allocateLocal(TypeKind.LONG), at8 = code.allocateLocal(TypeKind.LONG);
        int end = code.allocateLocal(TypeKind.LONG);
        code.lconst_0().lstore(at4).lconst_0().lstore(at8);
        code.lload(COUNT).iconst_2().lshl().lstore(end);
        Label body = code.newLabel(), check = code.newLabel();
        code.goto_(check).labelBinding(body);
        for (int i = 0; i < program.loads.length; i++) {
            Program.Load l = program.loads[i];
            load(l, address[i], is64(l.kind()) ? at8 : at4);
        }
        for (Program.Instruction in : program.code) instruction(in);
        for (int i = 0; i < program.stores.length; i++) {
            Program.Store s = program.stores[i];
            store(s, address[program.loads.length + i], is64(s.kind()) ? at8 : at4);
        }
        long lanes = Lanes.count(has64);
        code.lload(at4).loadConstant(4 * lanes).ladd().lstore(at4);
        if (has64) code.lload(at8).loadConstant(8 * lanes).ladd().lstore(at8);
        code.labelBinding(check).lload(at4).lload(end).lcmp().iflt(body);
        code.return_();
    }

    private static boolean is64(Kind kind) {
        return kind == Kind.I64 || kind == Kind.F64;
    }

    // ---- leaves

    private void constant(Program.Constant c) {
        if (c.kind() == Kind.BOOL) {
            species(Kind.I32).loadConstant((int) c.bits());
            code.invokeinterface(SPECIES, "maskAll", MethodTypeDesc.of(MASK, CD_boolean));
            storeMask(c.register(), Kind.I32);
            return;
        }
        species(c.kind());
        ClassDesc element = switch (c.kind()) {
            case F32 -> {
                code.loadConstant(Float.intBitsToFloat((int) c.bits()));
                yield java.lang.constant.ConstantDescs.CD_float;
            }
            case F64 -> {
                code.loadConstant(Double.longBitsToDouble(c.bits()));
                yield java.lang.constant.ConstantDescs.CD_double;
            }
            case I64 -> {
                longConstants.put(c.register(), c.bits());
                code.loadConstant(c.bits());
                yield CD_long;
            }
            case I32, BOOL -> {
                intConstants.put(c.register(), c.bits());
                code.loadConstant((int) c.bits());
                yield CD_int;
            }
        };
        ClassDesc v = vector(c.kind());
        code.invokestatic(v, "broadcast", MethodTypeDesc.of(v, SPECIES, element));
        code.astore(local(c.kind(), c.register()));
    }

    private void load(Program.Load l, int address, int at) {
        Kind memory = l.kind() == Kind.BOOL ? Kind.I32 : l.kind();
        ClassDesc v = vector(memory);
        species(memory)
                .getstatic(desc(Memory.class), "ALL", SEGMENT)
                .lload(address)
                .lload(at)
                .ladd();
        order().invokestatic(v, "fromMemorySegment", MethodTypeDesc.of(v, SPECIES, SEGMENT, CD_long, ORDER));
        if (l.kind() == Kind.BOOL) {
            operator("NE", COMPARISON).iconst_0();
            code.invokevirtual(v, "compare", MethodTypeDesc.of(MASK, COMPARISON, CD_int));
            storeMask(l.register(), Kind.I32);
        } else {
            code.astore(local(l.kind(), l.register()));
        }
    }

    private void store(Program.Store s, int address, int at) {
        if (s.kind() == Kind.BOOL) {
            ClassDesc v = vector(Kind.I32);
            species(Kind.I32).iconst_0().invokestatic(v, "broadcast", MethodTypeDesc.of(v, SPECIES, CD_int));
            code.iconst_1();
            mask(s.register(), Kind.I32);
            code.invokevirtual(v, "blend", MethodTypeDesc.of(v, CD_int, MASK));
        } else {
            value(s.kind(), s.register());
        }
        code.getstatic(desc(Memory.class), "ALL", SEGMENT)
                .lload(address)
                .lload(at)
                .ladd();
        order().invokevirtual(VECTOR, "intoMemorySegment", MethodTypeDesc.of(CD_void, SEGMENT, CD_long, ORDER));
    }

    // ---- instructions

    private void instruction(Program.Instruction in) {
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
                value(in.kind(), in.a());
                operator("BIT_COUNT", UNARY).invokevirtual(v, "lanewise", MethodTypeDesc.of(v, UNARY));
                code.astore(local(in.kind(), in.target()));
            }
            case FMA -> {
                value(in.kind(), in.a());
                value(in.kind(), in.b());
                value(in.kind(), in.c());
                code.invokevirtual(v, "fma", MethodTypeDesc.of(v, VECTOR, VECTOR));
                code.astore(local(in.kind(), in.target()));
            }
            case LT, LE, EQ -> {
                value(in.kind(), in.a());
                operator(in.op().name(), COMPARISON);
                value(in.kind(), in.b());
                code.invokevirtual(v, "compare", MethodTypeDesc.of(MASK, COMPARISON, VECTOR));
                storeMask(in.target(), in.kind());
            }
            case SELECT -> {
                value(in.kind(), in.c());
                value(in.kind(), in.b());
                mask(in.a(), in.kind());
                code.invokevirtual(v, "blend", MethodTypeDesc.of(v, VECTOR, MASK));
                code.astore(local(in.kind(), in.target()));
            }
            case CONVERT -> {
                value(in.kind(), in.a());
                operator("" + letter(in.kind()) + '2' + letter(in.to()), CONVERSION);
                species(in.to()).iconst_0();
                code.invokevirtual(VECTOR, "convertShape", MethodTypeDesc.of(VECTOR, CONVERSION, SPECIES, CD_int));
                code.checkcast(vector(in.to())).astore(local(in.to(), in.target()));
            }
            case BITCAST -> {
                value(in.kind(), in.a());
                code.invokevirtual(VECTOR, bitcast(in.to()), MethodTypeDesc.of(vector(in.to())));
                code.astore(local(in.to(), in.target()));
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
        value(in.kind(), in.a());
        code.invokevirtual(v, name, MethodTypeDesc.of(v)).astore(local(in.kind(), in.target()));
    }

    private void binary(Program.Instruction in, String name) {
        ClassDesc v = vector(in.kind());
        value(in.kind(), in.a());
        value(in.kind(), in.b());
        code.invokevirtual(v, name, MethodTypeDesc.of(v, VECTOR)).astore(local(in.kind(), in.target()));
    }

    private void lanewise(Program.Instruction in, String operator, ClassDesc type) {
        ClassDesc v = vector(in.kind());
        value(in.kind(), in.a());
        operator(operator, type);
        value(in.kind(), in.b());
        code.invokevirtual(v, "lanewise", MethodTypeDesc.of(v, BINARY, VECTOR)).astore(local(in.kind(), in.target()));
    }

    /** Constant counts become immediate operands. */
    private void shift(Program.Instruction in, String operator) {
        Long count = (in.kind() == Kind.I32 ? intConstants : longConstants).get(in.b());
        if (count == null) {
            lanewise(in, operator, BINARY);
            return;
        }
        ClassDesc v = vector(in.kind());
        value(in.kind(), in.a());
        operator(operator, BINARY);
        if (in.kind() == Kind.I32) code.loadConstant(count.intValue());
        else code.loadConstant(count.longValue());
        ClassDesc element = in.kind() == Kind.I32 ? CD_int : CD_long;
        code.invokevirtual(v, "lanewise", MethodTypeDesc.of(v, BINARY, element)).astore(local(in.kind(), in.target()));
    }

    // ---- names

    private void value(Kind kind, int register) {
        code.aload(local(kind, register));
    }

    private void mask(int register, Kind wanted) {
        code.aload(local(Kind.BOOL, register));
        if (maskKinds.get(register) == wanted) return;
        species(wanted).invokevirtual(MASK, "cast", MethodTypeDesc.of(MASK, SPECIES));
    }

    private void storeMask(int register, Kind kind) {
        maskKinds.put(register, kind);
        code.astore(local(Kind.BOOL, register));
    }

    private int local(Kind kind, int register) {
        return locals.computeIfAbsent(kind, _ -> new HashMap<>())
                .computeIfAbsent(register, _ -> code.allocateLocal(TypeKind.REFERENCE));
    }

    private CodeBuilder species(Kind kind) {
        String name = has64 && !is64(kind) ? kind + "_BESIDE_64" : kind.name();
        return code.getstatic(desc(Lanes.class), name, SPECIES);
    }

    private CodeBuilder operator(String name, ClassDesc type) {
        return code.getstatic(OPERATORS, name, type);
    }

    private CodeBuilder order() {
        return code.getstatic(ORDER, "LITTLE_ENDIAN", ORDER);
    }

    private static ClassDesc vector(Kind kind) {
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

    private static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }
}
