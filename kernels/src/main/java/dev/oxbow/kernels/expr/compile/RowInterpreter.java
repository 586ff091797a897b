package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.expr.compile.RowProgram.Input;
import dev.oxbow.kernels.expr.compile.RowProgram.Pass;
import dev.oxbow.kernels.expr.compile.RowProgram.Result;
import dev.oxbow.kernels.expr.compile.RowProgram.Target;
import dev.oxbow.kernels.expr.interpret.Interpreter;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.kernels.expr.interpret.Tile;
import dev.oxbow.kernels.expr.interpret.Transfer;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.util.Arrays;

/** Runs a row program instruction by instruction on one thread, pass by pass over blocks of rows. */
final class RowInterpreter {

    /* A tile holds as many whole rows as fit, or a part of one row; a pass goes over a block of several tiles. */

    private static final long BLOCK = 8L * Tile.SIZE;

    private final RowProgram program;
    private final RowView view;
    private final int columns;
    private final long kept;
    private final long keptSize;
    private final double[][] floats;
    private final long[][] integers;
    private final LaneFold[] folds;
    private final double[] floatColumns;
    private final long[] integerColumns;

    private RowInterpreter(RowProgram program, RowView view, long rows, long kept) {
        this.program = program;
        this.view = view;
        this.columns = Counts.toInt(view.columns());
        this.kept = kept;
        this.keptSize = 8 * rows * columns;
        this.floats = new double[program.results.length][(int) rows];
        this.integers = new long[program.results.length][(int) rows];
        this.folds = new LaneFold[program.results.length];
        for (int i = 0; i < folds.length; i++)
            folds[i] = new LaneFold(program.results[i].fold(), Kind.of(program.results[i].from()));
        boolean accumulates = false;
        for (boolean b : program.accumulators) accumulates |= b;
        this.floatColumns = new double[accumulates ? Tile.SIZE : 0];
        this.integerColumns = new long[accumulates ? Tile.SIZE : 0];
    }

    /** Runs the rows {@code [from, to)}. */
    static void run(RowProgram program, RowView view, long from, long to) {
        long block = Math.min(to - from, Math.max(1, BLOCK / Math.max(1, view.columns())));
        Buffer memory = MemoryPool.shared()
                .allocate(Math.max(8, 8 * block * view.columns() * program.kept.length), "row kernel");
        try {
            RowInterpreter r = new RowInterpreter(program, view, block, memory.address());
            for (long row = from; row < to; row += block) {
                int n = (int) Math.min(block, to - row);
                for (Pass pass : program.passes) {
                    if (pass.perRow()) r.perRow(pass, row, n);
                    else r.perColumn(pass, row, n);
                }
            }
        } finally {
            memory.release();
        }
    }

    private void perRow(Pass pass, long row, int rows) {
        Tile t = Tile.of(pass.program(), Math.min(rows, Tile.SIZE));
        for (int done = 0; done < rows; done += Tile.SIZE) {
            int n = Math.min(Tile.SIZE, rows - done);
            for (Program.Load l : pass.program().loads) {
                for (int i = 0; i < n; i++) rowValue(t, l, row, done + i, i, 1);
            }
            Interpreter.run(pass.program(), t, n);
            for (Program.Store s : pass.program().stores) {
                int out = program.tensors + pass.targets()[s.index()].number();
                long address = view.addresses()[out] + (row + done) * view.steps()[out];
                Transfer.store(t, s, address, n);
            }
        }
    }

    private void perColumn(Pass pass, long row, int rows) {
        if (columns == 0) {
            for (Target target : pass.targets()) {
                for (int r = 0; r < rows && target.sink() == RowProgram.Sink.RESULT; r++) {
                    folds[target.number()].start();
                    finish(target.number(), r);
                }
            }
            return;
        }
        int together = Math.max(1, Tile.SIZE / columns), width = Math.min(columns, Tile.SIZE);
        Tile t = Tile.of(pass.program(), Math.min(rows, together) * width);
        for (int r = 0; r < rows; r += together) {
            int n = Math.min(together, rows - r);
            for (int c = 0; c < columns; c += width) {
                int wide = Math.min(width, columns - c);
                for (Program.Load l : pass.program().loads) load(t, l, row, r, n, c, wide);
                Interpreter.run(pass.program(), t, n * wide);
                for (Program.Store s : pass.program().stores) {
                    Target target = pass.targets()[s.index()];
                    switch (target.sink()) {
                        case OUTPUT -> output(t, s, program.tensors + target.number(), row + r, n, c, wide);
                        case KEPT ->
                            t.copyTo(keptAt(target.number(), s.kind(), r, c), s.kind(), s.register(), n * wide);
                        case RESULT -> result(t, s, target.number(), r, n, c, wide);
                        case COLUMN -> column(t, s, target, n, c, wide);
                    }
                }
            }
        }
    }

    private long keptAt(int number, Kind kind, int row, int column) {
        return kept + number * keptSize + ((long) row * columns + column) * (kind.is64() ? 8 : 4);
    }

    /** Fills the register for {@code n} rows from block row {@code r} on, {@code wide} columns from {@code c} on. */
    private void load(Tile t, Program.Load l, long row, int r, int n, int c, int wide) {
        Input in = program.inputs[l.index()];
        switch (in.source()) {
            case MATRIX -> {
                long step = view.steps()[in.number()], width = l.dtype().size();
                long address = view.addresses()[in.number()] + (row + r) * step + c * width;
                if (n == 1 || step == wide * width) {
                    Transfer.load(t, l, address, 0, n * wide);
                } else {
                    for (int i = 0; i < n; i++) Transfer.load(t, l, address + i * step, i * wide, wide);
                }
            }
            case KEPT -> t.copyFrom(keptAt(in.number(), l.kind(), r, c), l.kind(), l.register(), n * wide);
            case INDEX -> {
                int[] x = t.ints[l.register()];
                for (int i = 0; i < n; i++) for (int k = 0; k < wide; k++) x[i * wide + k] = c + k;
            }
            case ROW, RESULT -> {
                for (int i = 0; i < n; i++) rowValue(t, l, row, r + i, i * wide, wide);
            }
        }
    }

    /** Fills {@code [at, at + n)} of the register with the one value of block row {@code r}. */
    private void rowValue(Tile t, Program.Load l, long row, int r, int at, int n) {
        Input in = program.inputs[l.index()];
        if (in.source() == RowProgram.Source.ROW) {
            Gather.repeat(t, l, view.addresses()[in.number()] + (row + r) * view.steps()[in.number()], at, n);
            return;
        }
        switch (l.kind()) {
            case F32 -> Arrays.fill(t.floats[l.register()], at, at + n, (float) floats[in.number()][r]);
            case F64 -> Arrays.fill(t.doubles[l.register()], at, at + n, floats[in.number()][r]);
            case I32, BOOL -> Arrays.fill(t.ints[l.register()], at, at + n, (int) integers[in.number()][r]);
            case I64 -> Arrays.fill(t.longs[l.register()], at, at + n, integers[in.number()][r]);
        }
    }

    private void output(Tile t, Program.Store s, int out, long row, int n, int c, int wide) {
        long step = view.steps()[out], width = s.dtype().size();
        long address = view.addresses()[out] + row * step + c * width;
        if (n == 1 || step == wide * width) Transfer.store(t, s, address, 0, n * wide);
        else for (int i = 0; i < n; i++) Transfer.store(t, s, address + i * step, i * wide, wide);
    }

    private void result(Tile t, Program.Store s, int number, int r, int n, int c, int wide) {
        LaneFold fold = folds[number];
        for (int i = 0; i < n; i++) {
            if (c == 0) fold.start();
            fold.take(t, s.register(), i * wide, wide);
            if (c + wide == columns) finish(number, r + i);
        }
    }

    private void finish(int number, int r) {
        Result result = program.results[number];
        if (result.from().isFloating()) {
            double v = folds[number].floating() / result.divisor();
            floats[number][r] = result.to() == DType.F32 ? (float) v : v;
        } else {
            long v = folds[number].integer();
            integers[number][r] = result.to() == DType.I32 ? (int) v : v;
        }
    }

    private void column(Tile t, Program.Store s, Target target, int n, int c, int wide) {
        LaneFold fold = new LaneFold(target.fold(), s.kind());
        DType dtype = program.outputs[target.number()];
        long address = view.addresses()[program.tensors + target.number()] + (long) c * dtype.size();
        for (int k = 0; k < wide; k++) {
            switch (dtype) {
                case F32 -> floatColumns[k] = Memory.getFloat(address + 4L * k);
                case F64 -> floatColumns[k] = Memory.getDouble(address + 8L * k);
                case I32 -> integerColumns[k] = Memory.getInt(address + 4L * k);
                default -> integerColumns[k] = Memory.getLong(address + 8L * k);
            }
        }
        for (int i = 0; i < n; i++) {
            switch (s.kind()) {
                case F32 -> fold.into(floatColumns, 0, t.floats[s.register()], i * wide, wide);
                case F64 -> fold.into(floatColumns, 0, t.doubles[s.register()], i * wide, wide);
                case I32, BOOL -> fold.into(integerColumns, 0, t.ints[s.register()], i * wide, wide);
                case I64 -> fold.into(integerColumns, 0, t.longs[s.register()], i * wide, wide);
            }
        }
        for (int k = 0; k < wide; k++) {
            switch (dtype) {
                case F32 -> Memory.putFloat(address + 4L * k, (float) floatColumns[k]);
                case F64 -> Memory.putDouble(address + 8L * k, floatColumns[k]);
                case I32 -> Memory.putInt(address + 4L * k, (int) integerColumns[k]);
                default -> Memory.putLong(address + 8L * k, integerColumns[k]);
            }
        }
    }
}
