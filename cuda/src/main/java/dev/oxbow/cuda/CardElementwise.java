package dev.oxbow.cuda;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.Broadcast;
import dev.oxbow.kernels.expr.cuda.ElementwiseText;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Expressions over broadcast tensors, as a kernel of a card. Thread-safe. */
final class CardElementwise {
    private static final long ALIGNED = 15;

    private final Card card;
    private final String name;
    private final boolean guarded;
    private final ElementwiseText text;
    private final int[] used;
    private final Map<ElementwiseText.Form, Long> functions = new ConcurrentHashMap<>();
    private volatile Prepared last;

    /** A launch for some shapes; the places of tensors are filled in for each call. */
    private record Prepared(
            Shape out,
            Shape[] inputs,
            boolean aligned,
            long function,
            long blocks,
            long[] arguments,
            Entry.Together together) {
        boolean isFor(Shape shape, Tensor[] tensors, int[] used, boolean nowAligned) {
            if (aligned != nowAligned || !out.equals(shape)) return false;
            for (int k = 0; k < used.length; k++) {
                Shape s = tensors[used[k]].shape();
                if (s != inputs[k] && !s.equals(inputs[k])) return false;
            }
            return true;
        }
    }

    /** With {@code guarded}, it does nothing after a fault. */
    CardElementwise(Card card, String name, List<Expr> outputs, boolean guarded) {
        this.card = card;
        this.name = name;
        this.guarded = guarded;
        this.text = new ElementwiseText(outputs);
        this.used = text.used();
    }

    /** Fills {@code outputs}, each of shape {@code out}, from {@code inputs} broadcast to it. */
    void run(Shape out, Tensor[] inputs, Tensor[] outputs) {
        if (out.size() == 0) return;
        long places = 0;
        for (int i : used) places |= inputs[i].place();
        for (Tensor t : outputs) places |= t.place();
        boolean aligned = (places & ALIGNED) == 0;
        Prepared p = last;
        if (p == null || !p.isFor(out, inputs, used, aligned))
            last = p = prepared(out, inputs, outputs.length, aligned);
        long[] arguments = p.arguments.clone();
        for (int k = 0; k < used.length; k++) arguments[k] = inputs[used[k]].place();
        for (int k = 0; k < outputs.length; k++) arguments[used.length + k] = outputs[k].place();
        Spans spans = new Spans();
        for (int i : used) spans.reads(inputs[i]);
        for (Tensor t : outputs) spans.writes(t);
        if (guarded) spans.reads(card.faults.word(), 4);
        card.commands.run(new Entry.Launch(
                name,
                p.function,
                Math.toIntExact(p.blocks),
                1,
                ElementwiseText.THREADS,
                arguments,
                spans.touched(),
                p.together));
    }

    /** Updates of several variables by one formula are one launch where they can be. */
    private Entry.Together together(ElementwiseText.Form form, int arguments, long function) {
        boolean fits = Entry.Joint.words(ElementwiseText.MOST_JOINT, arguments) <= Commands.MOST_WORDS;
        if (!guarded || form.rank() != 1 || !fits) return null;
        return new Entry.Together(
                function, () -> card.function(text.joint(form), ElementwiseText.ENTRY), ElementwiseText.MOST_JOINT);
    }

    private Prepared prepared(Shape out, Tensor[] inputs, int outputs, boolean aligned) {
        Shape[] shapes = new Shape[text.inputs()], seen = new Shape[used.length];
        for (int i = 0; i < shapes.length; i++) shapes[i] = Shape.SCALAR;
        for (int k = 0; k < used.length; k++) seen[k] = shapes[used[k]] = inputs[used[k]].shape();
        Broadcast b = Broadcast.of(out, shapes);
        ElementwiseText.Form form = text.form(b, aligned, guarded);
        long function = functions.computeIfAbsent(form, f -> card.function(text.text(f), ElementwiseText.ENTRY));
        int rank = b.dims.length, more = rank > 1 ? rank * (1 + used.length) : 0;
        long[] arguments = new long[used.length + outputs + 1 + more + (guarded ? 1 : 0)];
        int at = used.length + outputs;
        arguments[at++] = out.size();
        if (rank > 1) {
            for (long d : b.dims) arguments[at++] = d;
            for (int i : used) for (int d = 0; d < rank; d++) arguments[at++] = b.strides[i][d];
        }
        if (guarded) arguments[at] = card.faults.word();
        long each = (long) ElementwiseText.THREADS * form.vector();
        long blocks = (out.size() + each - 1) / each;
        return new Prepared(
                out, seen, aligned, function, blocks, arguments, together(form, arguments.length, function));
    }
}
