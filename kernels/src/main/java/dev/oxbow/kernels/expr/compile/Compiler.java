package dev.oxbow.kernels.expr.compile;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.RoundingToHalf;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Program;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;

/** Turns a row program into a hidden class with one flat method. */
final class Compiler {

    /*
     * The JIT compiler gives up on methods of 8,000 bytes and optimises badly well before, so what is
     * longer than LIMIT stays interpreted; fusion should stop earlier. So does what has no vector form: special
     * functions, division of integers, complex parts.
     */

    static final int LIMIT = 4_000;
    /** Beyond this the compact form is used: with much more, C1 runs out of registers and C2 may never get its turn. */
    private static final int COMFORT = 1_500;

    private static final ClassDesc SELF = ClassDesc.of("dev.oxbow.kernels.expr.compile.Compiled");
    private static final MethodTypeDesc RUN =
            MethodTypeDesc.of(CD_void, CD_long.arrayType(), CD_long.arrayType(), CD_long, CD_long);

    private Compiler() {}

    /** The program that is compiled for these outputs, or null when they have no vector form or are too many. */
    private static Program prepare(List<Expr> outputs) {
        if (!VectorSupport.AVAILABLE) return null;
        for (Expr e : outputs) if (e.dtype().isComplex()) return null;
        Program p = Assembler.assemble(RoundingToHalf.expand(outputs));
        // Each takes at least six bytes; far beyond the limit a class file could not even hold them.
        if (p.code.length + p.constants.length > LIMIT / 6) return null;
        for (Program.Load load : p.loads) if (load.dtype().isComplex()) return null;
        for (Program.Instruction in : p.code) if (!hasVectorForm(in)) return null;
        return p;
    }

    private static boolean hasVectorForm(Program.Instruction in) {
        return switch (in.op()) {
            case CALL, REM, UDIV, UREM, IPOW -> false;
            case DIV -> in.kind().isFloating();
            default -> true;
        };
    }

    /** The same passes for a compiler, or null when they have no vector form or are too long. */
    static RowProgram prepare(RowProgram program) {
        if (!VectorSupport.AVAILABLE || Lanes.count(false) > Fold.LANES) return null;
        List<RowProgram.Pass> passes = new ArrayList<>();
        for (RowProgram.Pass pass : program.passes) {
            Program p = prepare(pass.values());
            if (p == null) return null;
            passes.add(new RowProgram.Pass(pass.values(), p, pass.targets(), pass.perRow()));
        }
        return program.withPasses(passes);
    }

    /** The code of a prepared program, or null when it is too long. */
    static RowCode compile(RowProgram program) {
        RowCode code = compile(program, false);
        return code != null ? code : compile(program, true);
    }

    private static RowCode compile(RowProgram program, boolean compact) {
        byte[] bytes = ClassFile.of()
                .build(
                        SELF,
                        cb -> cb.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC)
                                .withInterfaceSymbols(ClassDesc.of(RowCode.class.getName()))
                                .withMethodBody(
                                        INIT_NAME,
                                        MTD_void,
                                        0,
                                        code -> code.aload(0)
                                                .invokespecial(CD_Object, INIT_NAME, MTD_void)
                                                .return_())
                                .withMethodBody(
                                        "run",
                                        RUN,
                                        ClassFile.ACC_PUBLIC,
                                        code -> new RowEmitter(program, code, compact).emit()));
        if (codeLength(bytes) > (compact ? LIMIT : COMFORT)) return null;
        try {
            return (RowCode) MethodHandles.lookup()
                    .defineHiddenClass(bytes, true)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("Compiler: a generated kernel could not be loaded", e);
        }
    }

    private static int codeLength(byte[] bytes) {
        return ClassFile.of().parse(bytes).methods().stream()
                .flatMap(m -> m.code().stream())
                .mapToInt(c -> ((CodeAttribute) c).codeLength())
                .max()
                .orElse(0);
    }

    /** Whether any value of the program has 64 bits, which halves the lanes. */
    static boolean has64(Program p) {
        return p.registers(Kind.I64) > 0 || p.registers(Kind.F64) > 0;
    }
}
