package dev.oxbow.cuda;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.ops.nn.BlockLSTM;
import dev.oxbow.ops.nn.BlockLSTMGrad;
import dev.oxbow.ops.nn.BlockLSTMGradV2;
import dev.oxbow.ops.nn.BlockLSTMV2;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * Layers of LSTM cells over time, in f32 and without peepholes: the products with all inputs are one product, then one kernel goes
 * through the time; gradients of the weights are products, too.
 */
final class LstmKernels {
    private final Card card;
    private final boolean version2;
    private final float forgetBias;
    private final float clip;
    private final CardReduction columns;
    private final Fallback host;

    private LstmKernels(Card card, Op op, boolean version2, float forgetBias, float clip) {
        this.card = card;
        this.version2 = version2;
        this.forgetBias = forgetBias;
        this.clip = clip;
        this.columns = new CardReduction(card, Reduction.Operation.SUM, List.of(Expr.input(0, DType.F32)));
        this.host = new Fallback(op);
    }

    /** The kernel of a layer over time; null for other ops. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case BlockLSTM l ->
                forward(l.usePeephole(), new LstmKernels(card, op, false, l.forgetBias(), l.cellClip()));
            case BlockLSTMV2 l -> forward(l.usePeephole(), new LstmKernels(card, op, true, 0, l.cellClip()));
            case BlockLSTMGrad l -> gradient(l.usePeephole(), new LstmKernels(card, op, false, 0, 0));
            case BlockLSTMGradV2 l -> gradient(l.usePeephole(), new LstmKernels(card, op, true, 0, 0));
            default -> null;
        };
    }

    /** Whether the host wants to know an input: how many steps there are. */
    static boolean reads(Op op, int input) {
        return switch (op) {
            case BlockLSTM _, BlockLSTMV2 _, BlockLSTMGrad _, BlockLSTMGradV2 _ -> input == 0;
            default -> false;
        };
    }

    private static Kernel forward(boolean peepholes, LstmKernels k) {
        return c -> {
            Layer l = peepholes ? null : k.layer(c);
            if (l == null) k.host.run(c);
            else k.forward(c, l);
        };
    }

    private static Kernel gradient(boolean peepholes, LstmKernels k) {
        return c -> {
            Layer l = peepholes ? null : k.layer(c);
            if (l == null) k.host.run(c);
            else k.gradient(c, l);
        };
    }

    /** What a call is about: steps of those that x has, its features, and the form of its kernels. */
    private record Layer(int steps, long time, long inputs, LstmText.Form form) {
        /** Rows of all steps that are taken. */
        long rows() {
            return (long) steps * form.batch();
        }

        long cells() {
            return form.cells();
        }
    }

    /** What the card can do of a call; null for nothing. */
    private Layer layer(KernelContext c) {
        Shape x = c.input(1).shape();
        for (int i = 0; i < c.outputCount(); i++) if (!c.isAllocated(i)) return null;
        long cells = c.input(8).size() / 4;
        if (c.input(1).dtype() != DType.F32 || x.size() == 0 || cells == 0) return null;
        LstmText.Form form = LstmText.form(cells, x.dim(1), card.multiprocessors);
        if (form == null) return null;
        long steps = c.input(0).getLong(0);
        require(
                steps >= 0 && steps <= x.dim(0),
                INVALID_ARGUMENT,
                "seq_len_max must be in [0, %d], got %d",
                x.dim(0),
                steps);
        return new Layer((int) steps, x.dim(0), x.dim(2), form);
    }

    /** Where the gates i, ci, f and o begin in a row of weights. */
    private int[] gates(Layer l) {
        int h = l.form.cells();
        return version2 ? new int[] {0, 2 * h, h, 3 * h} : new int[] {0, h, 2 * h, 3 * h};
    }

    private static Blas.Shape product(
            boolean transposeA, boolean transposeB, long m, long n, long k, Blas.After after) {
        return new Blas.Shape(DType.F32, transposeA, transposeB, m, n, k, 1, 0, 0, after);
    }

    /** The place of the weights by which the last state is multiplied, or of their gradient. */
    private static long recurrent(Tensor w, Layer l) {
        return w.place() + 16 * l.inputs * l.cells();
    }

    private void zero(Tensor t, long from) {
        if (from < t.size()) card.space.zero(t.place() + 4 * from, 4 * (t.size() - from));
    }

    private void forward(KernelContext c, Layer l) {
        long each = (long) l.form.batch() * l.cells();
        for (int i = 0; i < 7; i++) zero(c.output(i), l.steps * each);
        if (l.steps == 0) return;
        Tensor x = c.input(1), w = c.input(4), projected = c.temporary(DType.F32, Shape.of(l.rows(), 4 * l.cells()));
        card.blas()
                .multiply(
                        product(false, false, l.rows(), 4 * l.cells(), l.inputs, Blas.After.BIAS),
                        x.place(),
                        w.place(),
                        projected.place(),
                        c.input(8).place());
        long function = card.function(
                List.of(LstmText.FORWARD, l.form, version2, forgetBias, clip),
                LstmText.FORWARD,
                () -> LstmText.forward(l.form, gates(l), forgetBias, clip));
        Spans spans = new Spans().reads(projected);
        long[] arguments = new long[14];
        int at = 0;
        arguments[at++] = projected.place();
        arguments[at++] = recurrent(w, l);
        for (Tensor t : List.of(w, c.input(2), c.input(3))) {
            spans.reads(t);
            if (t != w) arguments[at++] = t.place();
        }
        for (int i = 0; i < 7; i++) {
            spans.writes(c.output(i));
            arguments[at++] = c.output(i).place();
        }
        launch(
                "layer of %d x %d cells, %d steps".formatted(l.form.batch(), l.cells(), l.steps),
                function,
                l,
                l.steps,
                arguments,
                at,
                spans);
        projected.release();
    }

    private void gradient(KernelContext c, Layer l) {
        Tensor x = c.input(1), w = c.input(4), dX = c.output(0), dW = c.output(3);
        for (int i = 4; i < 7; i++) zero(c.output(i), 0);
        zero(dX, l.rows() * l.inputs);
        if (l.steps == 0) {
            for (int i : new int[] {1, 2, 3, 7}) zero(c.output(i), 0);
            return;
        }
        Tensor gates = c.temporary(DType.F32, Shape.of(l.rows(), 4 * l.cells()));
        through(c, l, gates);
        multiply(false, true, l.rows(), l.inputs, 4 * l.cells(), gates.place(), w.place(), dX.place());
        multiply(true, false, l.inputs, 4 * l.cells(), l.rows(), x.place(), gates.place(), dW.place());
        long each = 4 * (long) l.form.batch() * l.cells(), rest = (l.steps - 1) * each;
        Tensor states = c.temporary(DType.F32, Shape.of(l.rows(), l.cells()));
        card.commands.run(new Entry.Copy(c.input(3).place(), states.place(), each));
        if (rest > 0) card.commands.run(new Entry.Copy(c.input(15).place(), states.place() + each, rest));
        multiply(true, false, l.cells(), 4 * l.cells(), l.rows(), states.place(), gates.place(), recurrent(dW, l));
        states.release();
        columns.run(gates.shape(), new int[] {0}, new Tensor[] {gates}, new Tensor[] {c.output(7)}, c.memory());
        gates.release();
    }

    private void multiply(boolean transposeA, boolean transposeB, long m, long n, long k, long a, long b, long y) {
        card.blas().multiply(product(transposeA, transposeB, m, n, k, Blas.After.NOTHING), a, b, y, 0);
    }

    /** The gradients of all gates, and of the states before the first step. */
    private void through(KernelContext c, Layer l, Tensor gates) {
        Tensor parts = c.temporary(DType.U8, Shape.of(l.form.parts()));
        long function = card.function(
                List.of(LstmText.GRADIENT, l.form, version2),
                LstmText.GRADIENT,
                () -> LstmText.gradient(l.form, gates(l)));
        long[] arguments = new long[18];
        int at = 0;
        arguments[at++] = recurrent(c.input(4), l);
        Spans spans = new Spans().reads(c.input(4));
        // the first cs, i, cs, f, o, ci, co, and the gradients of cs and h
        for (int i : new int[] {2, 9, 10, 11, 12, 13, 14, 16, 17}) {
            spans.reads(c.input(i));
            arguments[at++] = c.input(i).place();
        }
        for (Tensor t : List.of(gates, c.output(1), c.output(2), parts)) {
            spans.writes(t);
            arguments[at++] = t.place();
        }
        arguments[17] = l.steps;
        String name = "gradient of a layer of %d x %d cells, %d steps".formatted(l.form.batch(), l.cells(), l.steps);
        launch(name, function, l, l.steps + 1, arguments, at, spans);
        parts.release();
    }

    /** All steps by one launch whose blocks meet, where the card can do that; else a launch for each step. */
    private void launch(String name, long function, Layer l, int steps, long[] arguments, int at, Spans spans) {
        long counter = card.meeting();
        arguments[at] = counter;
        Entry.Touched touched = spans.writes(counter, 4).touched();
        int each = card.meets() ? steps : 1;
        for (int from = 0; from < steps; from += each) {
            long[] own = arguments.clone();
            own[at + 1] = from;
            own[at + 2] = from + each;
            card.commands.run(
                    new Entry.Meeting(name, function, l.form.blocks(), LstmText.THREADS, own, touched, each > 1));
        }
    }
}
