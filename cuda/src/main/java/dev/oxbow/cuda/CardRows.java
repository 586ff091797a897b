package dev.oxbow.cuda;

import dev.oxbow.kernels.expr.compile.RowFormula;
import dev.oxbow.kernels.expr.compile.RowProgram;
import dev.oxbow.kernels.expr.cuda.RowText;
import dev.oxbow.tensor.Tensor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A formula over rows, as a kernel of a card. Thread-safe. */
final class CardRows {
    private final Card card;
    private final RowProgram program;
    private final RowText text;
    private final int checked;
    private final Map<RowText.Form, Long> functions = new ConcurrentHashMap<>();

    /** Input {@code checked} names a column for each row; -1 for none. */
    CardRows(Card card, RowFormula formula, int checked) {
        this.card = card;
        this.program = formula.recomputed();
        this.text = new RowText(program);
        this.checked = checked;
    }

    /** Runs over so many rows and columns, neither 0; {@code node} is the number by which faults are told. */
    void run(long rows, long columns, Tensor[] inputs, Tensor[] outputs, int node) {
        long places = 0;
        for (Tensor t : inputs) if (t.size() >= columns) places |= t.place();
        for (Tensor t : outputs) if (t.size() >= columns) places |= t.place();
        RowText.Form form = text.form(columns, (places & 15) == 0);
        long function = functions.computeIfAbsent(form, f -> card.function(text.text(f, checked), RowText.ENTRY));
        long[] arguments = new long[2 * inputs.length + outputs.length + 2 + (checked >= 0 ? 3 : 0)];
        int at = 0;
        for (Tensor t : inputs) arguments[at++] = t.place();
        for (Tensor t : outputs) arguments[at++] = t.place();
        arguments[at++] = rows;
        arguments[at++] = columns;
        for (int i = 0; i < inputs.length; i++) arguments[at++] = step(i, inputs[i], rows, columns);
        if (checked >= 0) {
            arguments[at++] = card.faults.word();
            arguments[at++] = card.faults.report();
            arguments[at] = node;
        }
        Spans spans = new Spans();
        for (Tensor t : inputs) spans.reads(t);
        for (Tensor t : outputs) spans.writes(t);
        if (checked >= 0) spans.writes(card.faults.word(), 4);
        long each = RowText.THREADS / form.lanes();
        card.commands.launch(
                "rows of " + columns,
                function,
                (rows + each - 1) / each,
                1,
                RowText.THREADS,
                arguments,
                spans.touched());
    }

    /** The elements from one row of an input to the next; 0 where it has one for all. */
    private long step(int input, Tensor t, long rows, long columns) {
        for (RowProgram.Input in : program.inputs) {
            boolean matrix = in.source() == RowProgram.Source.MATRIX, row = in.source() == RowProgram.Source.ROW;
            if (!matrix && !row || in.number() != input) continue;
            long each = matrix ? columns : 1;
            return t.size() == each && rows > 1 ? 0 : each;
        }
        throw new AssertionError(input);
    }
}
