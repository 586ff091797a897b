package dev.oxbow.kernels.expr;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** Writes the body of {@link TileKernel#run}: constants, then a loop of loads, instructions and stores. */
final class VectorEmitter {

    /* Registers become local variables. Offsets count bytes: one for 32-bit elements, one for 64-bit ones. */

    private static final int ADDRESSES = 1;
    private static final int COUNT = 2;

    private final Program program;
    private final CodeBuilder code;
    private final VectorCode vectors;
    private final Map<Kind, Map<Integer, Integer>> locals = new EnumMap<>(Kind.class);

    VectorEmitter(Program program, CodeBuilder code) {
        this.program = program;
        this.code = code;
        this.vectors = new VectorCode(code, Compiler.has64(program));
    }

    void emit() {
        int streams = program.loads.length + program.stores.length;
        int[] address = new int[streams];
        for (int i = 0; i < streams; i++) {
            address[i] = code.allocateLocal(TypeKind.LONG);
            code.aload(ADDRESSES).loadConstant(i).laload().lstore(address[i]);
        }
        for (Program.Constant c : program.constants) {
            of(c.kind()).put(c.register(), vectors.constant(c.kind(), c.bits()));
        }
        int at4 = code.allocateLocal(TypeKind.LONG), at8 = code.allocateLocal(TypeKind.LONG);
        int end = code.allocateLocal(TypeKind.LONG);
        code.lconst_0().lstore(at4).lconst_0().lstore(at8);
        code.lload(COUNT).iconst_2().lshl().lstore(end);
        Label body = code.newLabel(), check = code.newLabel();
        code.goto_(check).labelBinding(body);
        for (int i = 0; i < program.loads.length; i++) {
            Program.Load l = program.loads[i];
            int from = address[i], at = l.kind().is64() ? at8 : at4;
            vectors.load(l.kind(), () -> code.lload(from).lload(at).ladd(), -1, local(l.kind(), l.register()));
        }
        for (Program.Instruction in : program.code) vectors.instruction(located(in));
        for (int i = 0; i < program.stores.length; i++) {
            Program.Store s = program.stores[i];
            int to = address[program.loads.length + i], at = s.kind().is64() ? at8 : at4;
            vectors.store(
                    s.kind(),
                    local(s.kind(), s.register()),
                    () -> code.lload(to).lload(at).ladd(),
                    -1);
        }
        long lanes = Lanes.count(vectors.has64);
        code.lload(at4).loadConstant(4 * lanes).ladd().lstore(at4);
        if (vectors.has64) code.lload(at8).loadConstant(8 * lanes).ladd().lstore(at8);
        code.labelBinding(check).lload(at4).lload(end).lcmp().iflt(body);
        code.return_();
    }

    /** The instruction with locals in the place of registers. */
    private Program.Instruction located(Program.Instruction in) {
        Kind first = in.op() == Primitive.SELECT ? Kind.BOOL : in.kind();
        int a = local(first, in.a());
        int b = in.b() < 0 ? -1 : local(in.kind(), in.b()), c = in.c() < 0 ? -1 : local(in.kind(), in.c());
        return new Program.Instruction(
                in.op(), in.kind(), in.to(), in.function(), local(in.to(), in.target()), a, b, c);
    }

    private Map<Integer, Integer> of(Kind kind) {
        return locals.computeIfAbsent(kind, _ -> new HashMap<>());
    }

    private int local(Kind kind, int register) {
        return of(kind).computeIfAbsent(register, _ -> vectors.local());
    }
}
