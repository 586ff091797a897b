package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.expr.interpret.Tile;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;

/** Brings rows into the form that generated code wants and runs it. */
public final class CompiledRows {

    /* Native dtypes are read and written in place; narrow ones go through scratch memory, a few rows at a time. */

    private static final long BLOCK = 4L * Tile.SIZE;

    final RowProgram program;
    final RowCode code;
    final int lanes;

    private final int streams;
    /** Whether any element goes through scratch memory. */
    final boolean hasNarrow;

    CompiledRows(RowProgram program, RowCode code) {
        this.program = program;
        this.code = code;
        this.lanes = Lanes.count(program.has64());
        this.streams = program.tensors + program.kept.length + program.outputs.length;
        boolean narrow = false;
        for (RowProgram.Input in : program.inputs) narrow |= isTensor(in) && !isNative(in.dtype());
        for (DType dtype : program.outputs) narrow |= !isNative(dtype);
        this.hasNarrow = narrow;
    }

    /** Whether nothing goes through scratch memory, so that the code can be called with the tensors' own addresses. */
    boolean runsInPlace() {
        return !hasNarrow && program.kept.length == 0;
    }

    /** Whether generated code reads and writes elements in place. */
    static boolean isNative(DType dtype) {
        return switch (dtype) {
            case F32, F64, I32, U32, QI32, I64, U64 -> true;
            default -> false;
        };
    }

    private boolean isTensor(RowProgram.Input in) {
        boolean is = in.source() == RowProgram.Source.MATRIX || in.source() == RowProgram.Source.ROW;
        return is && program.reads[in.number()];
    }

    /** Runs the rows {@code [from, to)}. */
    void run(RowView view, long from, long to) {
        long block = hasNarrow ? Math.min(to - from, Math.max(1, BLOCK / Math.max(1, view.columns()))) : 1;
        long slot = (8 * block * Math.max(1, view.columns()) + 63) / 64 * 64 + 64;
        boolean needsScratch = hasNarrow || program.kept.length > 0;
        Buffer memory = needsScratch ? MemoryPool.shared().allocate(slot * streams, "row kernel") : null;
        try {
            long scratch = memory == null ? 0 : memory.address();
            if (hasNarrow) {
                for (long row = from; row < to; row += block)
                    piece(view, row, Math.min(to, row + block), scratch, slot);
            } else {
                piece(view, from, to, scratch, slot);
            }
        } finally {
            if (memory != null) memory.release();
        }
    }

    private void piece(RowView view, long from, long to, long scratch, long slot) {
        long[] addresses = new long[streams], steps = new long[streams];
        int tensors = program.tensors, kept = program.kept.length;
        for (int i = 0; i < streams; i++) {
            boolean isKept = i >= tensors && i < tensors + kept;
            int v = i < tensors ? i : i - kept;
            addresses[i] = isKept ? scratch + i * slot : view.addresses()[v] + from * view.steps()[v];
            steps[i] = isKept ? 0 : view.steps()[v];
        }
        if (hasNarrow) narrow(view, from, to, scratch, slot, addresses, steps);
        code.run(addresses, steps, to - from, view.columns());
        if (hasNarrow) {
            for (int i = 0; i < program.outputs.length; i++) {
                DType dtype = program.outputs[i];
                if (isNative(dtype)) continue;
                long at = scratch + (tensors + kept + i) * slot;
                rows(
                        view,
                        tensors + i,
                        program.perRow[i],
                        from,
                        to,
                        (address, done, n) -> Widening.narrow(dtype, at + 4 * done, address, n));
            }
        }
    }

    private void narrow(RowView view, long from, long to, long scratch, long slot, long[] addresses, long[] steps) {
        for (RowProgram.Input in : program.inputs) {
            if (!isTensor(in) || isNative(in.dtype())) continue;
            int i = in.number();
            boolean perRow = in.source() == RowProgram.Source.ROW;
            addresses[i] = scratch + i * slot;
            if (view.steps()[i] == 0) {
                Widening.widen(in.dtype(), view.addresses()[i], addresses[i], perRow ? 1 : view.columns());
                continue;
            }
            steps[i] = perRow ? 4 : 4 * view.columns();
            rows(
                    view,
                    i,
                    perRow,
                    from,
                    to,
                    (address, done, n) -> Widening.widen(in.dtype(), address, addresses[i] + 4 * done, n));
        }
        for (int i = 0; i < program.outputs.length; i++) {
            if (isNative(program.outputs[i])) continue;
            int s = program.tensors + program.kept.length + i;
            addresses[s] = scratch + s * slot;
            steps[s] = program.perRow[i] ? 4 : 4 * view.columns();
        }
    }

    private interface Run {
        void apply(long address, long done, long n);
    }

    /** Calls {@code run} for dense runs of elements of a stream. */
    private static void rows(RowView view, int stream, boolean perRow, long from, long to, Run run) {
        long step = view.steps()[stream], n = perRow ? 1 : view.columns();
        for (long row = from; row < to; row++) run.apply(view.addresses()[stream] + row * step, (row - from) * n, n);
    }
}
