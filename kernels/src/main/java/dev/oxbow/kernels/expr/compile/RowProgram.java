package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Passes over the rows of a matrix, ready to be interpreted, compiled, or written down for a card. */
public final class RowProgram {

    /** Where an input of a pass comes from. */
    public enum Source {
        /** A tensor, one element per column. */
        MATRIX,
        /** A tensor, one element per row or one for all. */
        ROW,
        /** The number of the column. */
        INDEX,
        /** A fold of an earlier pass. */
        RESULT,
        /** A row of values that an earlier pass kept. */
        KEPT
    }

    /** Input {@code number} of its source. */
    public record Input(Source source, DType dtype, int number) {}

    /** Where a value of a pass goes. */
    public enum Sink {
        /** A tensor, one element per column, or for a pass on rows one per row. */
        OUTPUT,
        KEPT,
        /** Folded along the row. */
        RESULT,
        /** Folded along the columns, into accumulators that the caller has set. */
        COLUMN
    }

    /** Output, kept row or result {@code number}. */
    public record Target(Sink sink, int number, Fold fold) {}

    /** One loop over the columns of a row, or once per row; store i of the program goes to target i. */
    public record Pass(List<Expr> values, Program program, Target[] targets, boolean perRow) {
        boolean folds() {
            for (Target t : targets) if (t.sink == Sink.RESULT) return true;
            return false;
        }

        /** Whether results are stored as they are. */
        boolean storesResults() {
            return perRow && program.code.length == 0 && program.constants.length == 0;
        }
    }

    /**
     * A fold of values of {@code from}, divided by {@code divisor}; its value has dtype {@code to}, which is {@code from} or
     * the accumulator's. A divisor other than 1 is for f32 that is accumulated in f64.
     */
    public record Result(Fold fold, DType from, DType to, double divisor) {}

    /** By number of an expression's input. */
    public final Input[] inputs;

    public final Pass[] passes;
    public final Result[] results;
    public final DType[] kept;
    public final DType[] outputs;
    /** Which outputs have one element per row. */
    public final boolean[] perRow;
    /** Which outputs are column accumulators. */
    public final boolean[] accumulators;
    /** The number of MATRIX and ROW inputs. */
    public final int tensors;

    private final int operations;
    /** Which of them any pass reads. */
    final boolean[] reads;

    RowProgram(
            List<Input> inputs,
            List<Pass> passes,
            List<Result> results,
            List<DType> kept,
            List<DType> outputs,
            boolean[] perRow,
            boolean[] accumulators) {
        this.inputs = inputs.toArray(Input[]::new);
        this.passes = passes.toArray(Pass[]::new);
        this.results = results.toArray(Result[]::new);
        this.kept = kept.toArray(DType[]::new);
        this.outputs = outputs.toArray(DType[]::new);
        this.perRow = perRow;
        this.accumulators = accumulators;
        int n = 0;
        for (Input i : inputs) if (i.source == Source.MATRIX || i.source == Source.ROW) n++;
        this.tensors = n;
        int count = 0;
        for (Pass p : passes) count += p.program.code.length + p.program.loads.length + p.program.stores.length;
        this.operations = count;
        this.reads = new boolean[n];
        for (Pass p : passes) {
            for (Program.Load l : p.program.loads) {
                Input in = this.inputs[l.index()];
                if (in.source == Source.MATRIX || in.source == Source.ROW) reads[in.number] = true;
            }
        }
    }

    /** The same with passes in another form. */
    RowProgram withPasses(List<Pass> others) {
        return new RowProgram(
                List.of(inputs), others, List.of(results), List.of(kept), List.of(outputs), perRow, accumulators);
    }

    /** Whether vectors must leave room for 64-bit values; accumulators alone do without. */
    boolean has64() {
        for (Pass p : passes) if (!p.storesResults() && Compiler.has64(p.program)) return true;
        return false;
    }

    /** Operations on an element: instructions, loads and stores. */
    int operations() {
        return operations;
    }
}
