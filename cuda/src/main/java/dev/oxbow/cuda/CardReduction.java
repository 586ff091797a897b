package dev.oxbow.cuda;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.Broadcast;
import dev.oxbow.kernels.expr.cuda.ReductionText;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Expressions reduced along axes, as kernels of a card. Thread-safe. */
final class CardReduction {

    /*
     * Where few elements are left, the folded ones are shared among more blocks. Where those are not too many, the last that
     * is done folds what all have found; else a second kernel does. How many blocks depends on shapes and on the card, and they are
     * folded in their order, so results repeat.
     */

    private static final long LEAST_ROW = 2048;
    private static final long LEAST_COLUMN = 1024;
    private static final long MOST_PARTS = 1024;

    /** Accumulators that one thread folds at the end. */
    private static final long MOST_MEETING = 128;

    private final Card card;
    private final Reduction.Parts parts;
    private final Stage whole;
    private Stage first;
    private Stage second;

    CardReduction(Card card, Reduction.Operation operation, List<Expr> maps) {
        this.card = card;
        this.parts = Reduction.parts(operation, maps);
        this.whole = new Stage(card, new ReductionText(parts.fold(), parts.values(), parts.results()));
    }

    /** One kernel, by the ways in which inputs lie. */
    private static final class Stage {
        final Card card;
        final ReductionText text;
        final int[] used;
        final Map<ReductionText.Form, Long> functions = new ConcurrentHashMap<>();
        final Map<ReductionText.Form, Long> meeting = new ConcurrentHashMap<>();
        private long tickets;
        private long ticketCount;

        Stage(Card card, ReductionText text) {
            this.card = card;
            this.text = text;
            this.used = text.used();
        }

        boolean isAligned(Tensor[] inputs) {
            long places = 0;
            for (int i : used) places |= inputs[i].place();
            return (places & 15) == 0;
        }

        Broadcast broadcast(Shape shape, boolean[] marked, Tensor[] inputs) {
            Shape[] shapes = new Shape[text.inputs()];
            Arrays.fill(shapes, Shape.SCALAR);
            for (int i : used) shapes[i] = inputs[i].shape();
            return Broadcast.of(shape, shapes, marked);
        }

        void run(Broadcast b, long kept, long folded, long chunk, long total, Tensor[] inputs, Tensor[] outputs) {
            ReductionText.Form f = text.form(b, isAligned(inputs));
            long function = functions.computeIfAbsent(f, k -> card.function(text.text(k), ReductionText.ENTRY));
            int rank = b.dims.length, at = 0;
            long[] arguments = new long[used.length + outputs.length + 3 + rank * (1 + used.length) + 2];
            for (int i : used) arguments[at++] = inputs[i].place();
            for (Tensor t : outputs) arguments[at++] = t.place();
            arguments[at++] = kept;
            arguments[at++] = folded;
            arguments[at++] = chunk;
            for (long d : b.dims) arguments[at++] = d;
            for (int i : used) for (int d = 0; d < rank; d++) arguments[at++] = b.strides[i][d];
            arguments[at++] = Double.doubleToRawLongBits(total);
            arguments[at] = total;
            long pieces = folded == 0 ? 1 : (folded + chunk - 1) / chunk;
            Spans spans = new Spans();
            for (int i : used) spans.reads(inputs[i]);
            for (Tensor t : outputs) spans.writes(t);
            String name = "reduce " + b.dims.length + " dimensions, " + kept + " x " + folded;
            card.commands.launch(name, function, blocks(f, kept), pieces, f.threads(), arguments, spans.touched());
        }

        /** In one kernel, whose blocks leave accumulators in {@code partial}; false, with nothing done, where they are too many. */
        boolean meet(
                Broadcast b, long kept, long folded, long chunk, Tensor[] inputs, Tensor[] outputs, Tensor[] partial) {
            ReductionText.Form f = text.form(b, isAligned(inputs));
            long blocks = blocks(f, kept), place = tickets(blocks);
            if (place == 0) return false;
            long function = meeting.computeIfAbsent(f, k -> card.function(text.text(k, true), ReductionText.ENTRY));
            int rank = b.dims.length, at = 0;
            long[] arguments =
                    new long[used.length + outputs.length + 3 + rank * (1 + used.length) + 2 + partial.length + 1];
            for (int i : used) arguments[at++] = inputs[i].place();
            for (Tensor t : outputs) arguments[at++] = t.place();
            arguments[at++] = kept;
            arguments[at++] = folded;
            arguments[at++] = chunk;
            for (long d : b.dims) arguments[at++] = d;
            for (int i : used) for (int d = 0; d < rank; d++) arguments[at++] = b.strides[i][d];
            arguments[at++] = Double.doubleToRawLongBits(folded);
            arguments[at++] = folded;
            Spans spans = new Spans();
            for (int i : used) spans.reads(inputs[i]);
            for (Tensor t : outputs) spans.writes(t);
            for (Tensor t : partial) {
                arguments[at++] = t.place();
                spans.writes(t);
            }
            arguments[at] = place;
            spans.writes(place, 4 * blocks);
            String name = "reduce " + rank + " dimensions at once, " + kept + " x " + folded;
            long pieces = (folded + chunk - 1) / chunk;
            card.commands.launch(name, function, blocks, pieces, f.threads(), arguments, spans.touched());
            return true;
        }

        private synchronized long tickets(long blocks) {
            if (blocks > ticketCount) {
                tickets = card.tickets(blocks);
                ticketCount = blocks;
            }
            return tickets;
        }

        static long blocks(ReductionText.Form f, long kept) {
            return (kept + f.elements() - 1) / f.elements();
        }
    }

    /** Reduces the values of {@code inputs}, broadcast to {@code shape}, which is not empty, along axes. */
    void run(Shape shape, int[] axes, Tensor[] inputs, Tensor[] outputs, MemoryPool memory) {
        boolean[] marked = new boolean[shape.rank()];
        for (int a : axes) marked[a < 0 ? a + marked.length : a] = true;
        long kept = 1;
        for (int d = 0; d < marked.length; d++) if (!marked[d]) kept *= shape.dim(d);
        long folded = shape.size() / kept;
        Broadcast b = whole.broadcast(shape, marked, inputs);
        long pieces = pieces(whole.text.form(b, whole.isAligned(inputs)), kept, folded);
        if (pieces == 1) {
            whole.run(b, kept, folded, folded, folded, inputs, outputs);
            return;
        }
        long chunk = (folded + pieces - 1) / pieces;
        pieces = (folded + chunk - 1) / chunk;
        List<DType> accumulators = whole.text.accumulators();
        Tensor[] partial = new Tensor[accumulators.size()];
        try {
            for (int i = 0; i < partial.length; i++)
                partial[i] = memory.tensor(accumulators.get(i), Shape.of(pieces, kept), "reduction");
            if (pieces <= MOST_MEETING && whole.meet(b, kept, folded, chunk, inputs, outputs, partial)) return;
            prepareStages();
            first.run(b, kept, folded, chunk, folded, inputs, partial);
            Broadcast rest = second.broadcast(Shape.of(pieces, kept), new boolean[] {true, false}, partial);
            second.run(rest, kept, pieces, pieces, folded, partial, outputs);
        } finally {
            for (Tensor t : partial) if (t != null) t.release();
        }
    }

    private synchronized void prepareStages() {
        if (first != null) return;
        List<Expr> again = new ArrayList<>();
        for (DType t : whole.text.accumulators()) again.add(Expr.input(again.size(), t));
        second = new Stage(card, new ReductionText(parts.fold(), again, parts.results()));
        first = new Stage(card, new ReductionText(parts.fold(), parts.values(), null));
    }

    private long pieces(ReductionText.Form f, long kept, long folded) {
        long blocks = Stage.blocks(f, kept), wanted = 4L * card.multiprocessors;
        long least = f.lanes() > 0 ? LEAST_ROW : LEAST_COLUMN;
        if (blocks >= wanted || folded < 2 * least) return 1;
        return Math.max(1, Math.min(Math.min((wanted + blocks - 1) / blocks, folded / least), MOST_PARTS));
    }
}
