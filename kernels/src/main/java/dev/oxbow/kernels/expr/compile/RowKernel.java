package dev.oxbow.kernels.expr.compile;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel.Mode;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.concurrent.atomic.AtomicLong;

/** Computes a {@link RowFormula} for every row of matrices. Thread-safe; all ways to run it give the same bits. */
public final class RowKernel {

    /**
     * Operations on elements that a kernel must have interpreted before it is compiled: some milliseconds' worth, where
     * generating, warming and the JIT compiler take one or two tenths of a second of a core.
     */
    static final long WORTH_COMPILING = 1 << 25;
    /** Interpreting fewer elements takes about as long. */
    private static final long LEAST_ELEMENTS = 1024;

    final RowProgram program;
    private final AtomicLong seen = new AtomicLong();
    private volatile CompiledRows compiled;
    private volatile boolean hasNoCode;

    RowKernel(RowProgram program) {
        this.program = program;
    }

    /** Whether there is generated code, ready to run. */
    public boolean isCompiled() {
        return compiled != null;
    }

    /**
     * Runs over {@code rows} rows of {@code columns} columns. An output may be the memory of an input that no pass
     * after the one that stores it reads, of the same size and element width.
     */
    public void run(Parallel parallel, long rows, long columns, Tensor[] inputs, Tensor[] outputs) {
        run(ElementwiseKernel.defaultMode(), parallel, rows, columns, inputs, outputs);
    }

    /** As above, in a given mode. */
    public void run(Mode mode, Parallel parallel, long rows, long columns, Tensor[] inputs, Tensor[] outputs) {
        require(
                inputs.length == program.tensors && outputs.length == program.outputs.length,
                INVALID_ARGUMENT,
                "RowKernel: wants %d inputs and %d outputs, got %d and %d",
                program.tensors,
                program.outputs.length,
                inputs.length,
                outputs.length);
        long[] addresses = new long[inputs.length + outputs.length], steps = new long[addresses.length];
        for (RowProgram.Input in : program.inputs) {
            if (in.source() != RowProgram.Source.MATRIX && in.source() != RowProgram.Source.ROW) continue;
            Tensor t = inputs[in.number()];
            long each = in.source() == RowProgram.Source.ROW ? 1 : columns;
            check(t, in.dtype(), t.size() == each || t.size() == rows * each, "input", in.number(), rows, columns);
            addresses[in.number()] = t.address();
            steps[in.number()] = t.size() == each ? 0 : each * in.dtype().size();
        }
        for (int i = 0; i < outputs.length; i++) {
            DType dtype = program.outputs[i];
            long each = program.perRow[i] ? 1 : columns;
            check(outputs[i], dtype, outputs[i].size() == rows * each, "output", i, rows, columns);
            addresses[inputs.length + i] = outputs[i].address();
            steps[inputs.length + i] = each * dtype.size();
        }
        if (rows == 0) return;
        RowView view = new RowView(addresses, steps, columns);
        long weight = Math.max(1, columns) * (1 + program.operations() / 8);
        long grain = Math.max(1, 65_536 / weight);
        CompiledRows code = code(mode, rows * columns);
        if (rows <= grain) range(code, view, 0, rows);
        else parallel.run(rows, grain, (from, to) -> range(code, view, from, to));
    }

    private static void check(Tensor t, DType dtype, boolean fits, String what, int number, long rows, long columns) {
        require(
                fits && t.dtype() == dtype,
                INVALID_ARGUMENT,
                "RowKernel: %s %d must be %s of %d rows and %d columns, got %s",
                what,
                number,
                dtype,
                rows,
                columns,
                t.describe());
    }

    /** Runs rows of a view on the calling thread. */
    public void range(CompiledRows code, RowView view, long from, long to) {
        if (code != null) code.run(view, from, to);
        else RowInterpreter.run(program, view, from, to);
    }

    /** The generated code to run {@code n} elements with, or null to interpret. */
    public CompiledRows code(Mode mode, long n) {
        CompiledRows code = compiled;
        if (mode == Mode.INTERPRETED) return null;
        if (code != null || hasNoCode) return code;
        if (mode == Mode.COMPILED) {
            RowProgram p = Compiler.prepare(program);
            RowCode made = p == null ? null : Compiler.compile(p);
            hasNoCode = made == null;
            return hasNoCode ? null : (compiled = new CompiledRows(p, made));
        }
        long work = Math.max(n, LEAST_ELEMENTS) * program.operations(), before = seen.getAndAdd(work);
        if (before < WORTH_COMPILING && before + work >= WORTH_COMPILING) {
            RowProgram p = Compiler.prepare(program);
            if (p == null) hasNoCode = true;
            else Warmup.start(p, ready -> compiled = ready);
        }
        return null;
    }
}
