package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel.Mode;
import dev.oxbow.kernels.expr.interpret.Interpreter;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.kernels.expr.interpret.Tile;
import dev.oxbow.kernels.expr.interpret.Transfer;
import dev.oxbow.tensor.DType;
import java.util.List;
import java.util.function.BinaryOperator;

/** {@code to[i] = to[i] op from[i]} over arrays in memory of any alignment, which are apart or the same. Thread-safe. */
public final class PairLoop {

    /*
     * The code is generated on the first call, whatever its size: those who combine do so again and again. Until it is
     * fast, and always for narrow dtypes, tiles are interpreted; both give the same bits.
     */

    private static final long[] STEPS = new long[3];

    private final int width;
    private final Program program;
    private final RowKernel kernel;

    public PairLoop(DType dtype, BinaryOperator<Expr> operator) {
        width = dtype.size();
        program = Assembler.assemble(List.of(operator.apply(Expr.input(0, dtype), Expr.input(1, dtype))));
        RowFormula f = new RowFormula();
        f.store(operator.apply(f.matrix(dtype), f.matrix(dtype)));
        kernel = CompiledRows.isNative(dtype) ? f.kernel() : null;
    }

    public void run(long to, long from, long count) {
        run(ElementwiseKernel.defaultMode(), to, from, count);
    }

    /** As above, in a given mode. */
    public void run(Mode mode, long to, long from, long count) {
        CompiledRows code = kernel == null ? null : kernel.code(mode, RowKernel.WORTH_COMPILING);
        if (code != null) {
            code.code.run(new long[] {to, from, to}, STEPS, 1, count);
            return;
        }
        Tile tile = Tile.of(program, (int) Math.min(Tile.SIZE, count));
        for (long i = 0; i < count; i += Tile.SIZE) {
            int n = (int) Math.min(Tile.SIZE, count - i);
            for (Program.Load l : program.loads) Transfer.load(tile, l, (l.index() == 0 ? to : from) + i * width, 0, n);
            Interpreter.run(program, tile, n);
            for (Program.Store s : program.stores) Transfer.store(tile, s, to + i * width, n);
        }
    }
}
