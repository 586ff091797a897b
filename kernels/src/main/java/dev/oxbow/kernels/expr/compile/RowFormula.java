package dev.oxbow.kernels.expr.compile;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Dag;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.RowProgram.Input;
import dev.oxbow.kernels.expr.compile.RowProgram.Pass;
import dev.oxbow.kernels.expr.compile.RowProgram.Result;
import dev.oxbow.kernels.expr.compile.RowProgram.Sink;
import dev.oxbow.kernels.expr.compile.RowProgram.Source;
import dev.oxbow.kernels.expr.compile.RowProgram.Target;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/** A formula over the rows of matrices in which folds of a row are values like others; {@link #kernel} runs it. */
public final class RowFormula {

    /*
     * A value belongs to the pass after the last fold that it needs. Values of a pass are computed in one loop
     * over the columns; what later passes need again is computed again, unless it is kept.
     */

    private record Root(Expr value, int level, Target target, boolean perRow) {}

    private final List<Input> inputs = new ArrayList<>();
    private final List<Expr> leaves = new ArrayList<>();
    private final List<Integer> levels = new ArrayList<>();
    private final List<Expr> definitions = new ArrayList<>();
    private final List<Root> roots = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private final List<DType> kept = new ArrayList<>();
    private final List<DType> outputs = new ArrayList<>();
    private int tensors;

    /** The next input of the kernel: one element for each row and column, or the same row for all. */
    public Expr matrix(DType dtype) {
        return leaf(Source.MATRIX, dtype, tensors++, 0, null);
    }

    /** The next input of the kernel: one element for each row, or one for all. */
    public Expr perRow(DType dtype) {
        return leaf(Source.ROW, dtype, tensors++, 0, null);
    }

    /** The number of the column, as i32. */
    public Expr column() {
        return leaf(Source.INDEX, DType.I32, 0, 0, null);
    }

    /** The fold of a value over each row, in the value's dtype. */
    public Expr fold(Fold fold, Expr value) {
        return fold(fold, value, value.dtype(), 1);
    }

    /** The mean of f32 over each row of so many columns: a sum in f64, divided there and rounded once. */
    public Expr mean(Expr value, long columns) {
        require(
                value.dtype() == DType.F32,
                INVALID_ARGUMENT,
                "RowFormula: means of rows are of f32, got %s",
                value.dtype());
        return fold(Fold.SUM, value, DType.F32, columns);
    }

    /** The fold of a value over each row, as it was accumulated: in f64 for sums of f32. */
    public Expr wideFold(Fold fold, Expr value) {
        return fold(fold, value, fold.wide(value.dtype()), 1);
    }

    private Expr fold(Fold fold, Expr value, DType to, double divisor) {
        check(fold, value);
        int level = level(value);
        roots.add(new Root(value, level, new Target(Sink.RESULT, results.size(), fold), false));
        results.add(new Result(fold, value.dtype(), to, divisor));
        return leaf(Source.RESULT, to, results.size() - 1, level + 1, null);
    }

    private static void check(Fold fold, Expr value) {
        boolean can = switch (value.dtype()) {
            case F32, F64, I32, I64 -> true;
            default -> false;
        };
        require(can, INVALID_ARGUMENT, "RowFormula: %s folds f32, f64, i32 and i64, got %s", fold, value.dtype());
    }

    /** The value itself, which later passes read instead of computing it again. */
    public Expr keep(Expr value) {
        int level = level(value);
        roots.add(new Root(value, level, new Target(Sink.KEPT, kept.size(), null), false));
        kept.add(value.dtype());
        return leaf(Source.KEPT, value.dtype(), kept.size() - 1, level, value);
    }

    /** Makes a value the next output of the kernel, with one element for each row and column. */
    public RowFormula store(Expr value) {
        roots.add(new Root(value, level(value), new Target(Sink.OUTPUT, outputs.size(), null), false));
        outputs.add(value.dtype());
        return this;
    }

    /** Makes a value that is the same for all columns the next output of the kernel, with one element for each row. */
    public RowFormula storePerRow(Expr value) {
        for (Expr e : Dag.order(List.of(value))) {
            require(
                    e.op() != Primitive.INPUT
                            || isPerRow(inputs.get((int) e.bits()).source()),
                    INVALID_ARGUMENT,
                    "RowFormula: a value per row must not depend on columns: %s",
                    value);
        }
        roots.add(new Root(value, level(value), new Target(Sink.OUTPUT, outputs.size(), null), true));
        outputs.add(value.dtype());
        return this;
    }

    /** Folds a value over all rows into the next output, which holds one accumulator for each column. */
    public RowFormula accumulate(Fold fold, Expr value) {
        check(fold, value);
        roots.add(new Root(value, level(value), new Target(Sink.COLUMN, outputs.size(), fold), false));
        outputs.add(fold.wide(value.dtype()));
        return this;
    }

    /** Whether nothing of a row is read any more after the loop that stores an output, element by element. */
    public boolean isStoredLast(int output) {
        int last = 0, stored = -1;
        for (Root r : roots) {
            if (r.perRow) continue;
            last = Math.max(last, r.level);
            if (r.target.sink() == Sink.OUTPUT && r.target.number() == output) stored = r.level;
        }
        return stored == last;
    }

    /** The kernel with the inputs and outputs declared so far, in their order. */
    public RowKernel kernel() {
        return new RowKernel(program(true));
    }

    /** Its passes for whom computing is cheaper than keeping: what was to be kept is computed again. */
    public RowProgram recomputed() {
        return program(false);
    }

    private RowProgram program(boolean keeps) {
        int last = roots.stream().mapToInt(Root::level).max().orElse(0);
        List<Pass> passes = new ArrayList<>();
        for (int level = 0; level <= last; level++) {
            addPass(passes, level, true, keeps);
            addPass(passes, level, false, keeps);
        }
        boolean[] perRow = new boolean[outputs.size()], accumulators = new boolean[outputs.size()];
        for (Root r : roots) {
            if (r.target.sink() == Sink.OUTPUT) perRow[r.target.number()] = r.perRow;
            if (r.target.sink() == Sink.COLUMN) accumulators[r.target.number()] = true;
        }
        return new RowProgram(inputs, passes, results, keeps ? kept : List.of(), outputs, perRow, accumulators);
    }

    private void addPass(List<Pass> passes, int level, boolean perRow, boolean keeps) {
        List<Root> chosen = roots.stream()
                .filter(r -> r.level == level && r.perRow == perRow)
                .filter(r -> keeps || r.target.sink() != Sink.KEPT)
                .toList();
        if (chosen.isEmpty()) return;
        List<Expr> values = new ArrayList<>();
        for (int i = 0; i < leaves.size(); i++) {
            boolean made = definitions.get(i) != null && (levels.get(i) == level || !keeps);
            if (!made) values.add(leaves.get(i));
            else values.add(keeps ? definitions.get(i) : definitions.get(i).substitute(values));
        }
        List<Expr> expanded = Dag.substitute(chosen.stream().map(Root::value).toList(), values);
        passes.add(new Pass(
                expanded,
                Assembler.assemble(expanded),
                chosen.stream().map(Root::target).toArray(Target[]::new),
                perRow));
    }

    private static boolean isPerRow(Source source) {
        return source == Source.ROW || source == Source.RESULT;
    }

    private Expr leaf(Source source, DType dtype, int number, int level, Expr definition) {
        Expr e = Expr.input(inputs.size(), dtype);
        inputs.add(new Input(source, dtype, number));
        leaves.add(e);
        levels.add(level);
        // A definition may use what was kept in the same pass; that is never read back in it.
        if (definition != null) {
            List<Expr> values = new ArrayList<>();
            for (int i = 0; i < leaves.size() - 1; i++) {
                values.add(definitions.get(i) != null && levels.get(i) == level ? definitions.get(i) : leaves.get(i));
            }
            definition = definition.substitute(values);
        }
        definitions.add(definition);
        return e;
    }

    private int level(Expr value) {
        int level = 0;
        for (Expr e : Dag.order(List.of(value))) {
            if (e.op() == Primitive.INPUT) level = Math.max(level, levels.get((int) e.bits()));
        }
        return level;
    }
}
