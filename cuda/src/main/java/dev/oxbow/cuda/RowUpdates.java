package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Updating;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.cuda.RowUpdateText;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.ops.state.ScatterUpdates;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Ops that change rows in the order of a list of indices: scatters, optimizers by rows, sums of segments. */
final class RowUpdates {
    private static final int BLOCKS_FOR_MANY = 64;

    private final Card card;
    private final Op op;
    private final Fallback host;
    private final Map<List<DType>, Kernels> kernels = new ConcurrentHashMap<>();

    private RowUpdates(Card card, Op op) {
        this.card = card;
        this.op = op;
        this.host = Fallback.guarded(card, op);
    }

    /** The functions of one update, for tables and indices of some dtypes; no text where the card can not do it. */
    private final class Kernels {
        final RowUpdateText text;
        private final Map<RowUpdateText.Form, Long> few = new HashMap<>();
        private long many;

        Kernels(List<Expr> updates, int rows) {
            text = RowUpdateText.supports(updates) ? new RowUpdateText(updates, rows) : null;
        }

        synchronized long[] functions(DType index, RowUpdateText.Form f) {
            if (many == 0) many = card.function(text.many(index), "rest");
            return new long[] {few.computeIfAbsent(f, _ -> card.function(text.few(index, f), "few")), many};
        }

        /** How rows of so many elements are moved: 16 bytes at a time, where all begin at multiples of that. */
        RowUpdateText.Form form(Tensor[] inputs, int tables, long inner) {
            int most = 16;
            for (int i = 0; i < inputs.length; i++) {
                boolean moved = i < tables || i == text.rows();
                if (moved && (inputs[i].place() & 15) == 0)
                    most = Math.min(most, 16 / inputs[i].dtype().size());
                else if (moved) most = 1;
            }
            return RowUpdateText.Form.of(inner, most);
        }
    }

    /** The kernel of an op that changes rows; null for others. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case ScatterUpdates.Rows s -> new RowUpdates(card, op).scatter(s.combine());
            case Updating u when u.rowInput() >= 0 -> new RowUpdates(card, op).step(u);
            case UnsortedSegmentSum _ -> new RowUpdates(card, op)::sum;
            default -> null;
        };
    }

    private Kernel scatter(Combine combine) {
        return c -> {
            Variable v = ResourceHandle.resource(c.input(0), Variable.class);
            Tensor indices = c.input(1), rows = c.input(2);
            boolean typed = v.isInitialised() && v.dtype() == rows.dtype() && Indexing.isIndex(indices);
            Kernels k = typed ? combined(combine, rows.dtype(), indices.dtype()) : null;
            Shape s = typed ? v.valueShape() : Shape.SCALAR;
            boolean suits = s.rank() > 0 && rows.shape().equals(indices.shape().concat(s.slice(1, s.rank())));
            if (k == null || k.text == null || !suits || !isCountable(s, indices)) {
                host.run(c);
                return;
            }
            if (rows.size() > 0)
                v.update(
                        c.memory(),
                        table -> apply(c, k, indices, false, new Tensor[] {table, rows}, 1, Indexing.outside(indices)));
        };
    }

    /** Of a number and NaN the one that is there stays, so extremes are the host's, as is division of whole numbers. */
    private Kernels combined(Combine combine, DType t, DType index) {
        boolean extreme = combine == Combine.MIN || combine == Combine.MAX;
        if (extreme || combine == Combine.DIV && !t.isFloating() || t == DType.BOOL || t.isObject()) return null;
        return kernels.computeIfAbsent(List.of(t, index), _ -> {
            Expr y = Expr.input(0, t), u = Expr.input(1, t);
            Expr made = switch (combine) {
                case UPDATE -> u;
                case ADD -> y.plus(u);
                case SUB -> y.minus(u);
                case MUL -> y.times(u);
                default -> y.dividedBy(u);
            };
            return new Kernels(List.of(made), 1);
        });
    }

    private static boolean isCountable(Shape table, Tensor indices) {
        return table.dim(0) <= Integer.MAX_VALUE && indices.size() <= Integer.MAX_VALUE / 64;
    }

    /** A step of an optimizer: variables, then scalars, the gradient and its indices. */
    private Kernel step(Updating u) {
        int variables = u.variables(), at = u.rowInput();
        boolean isReference = !op.signature().outputs().isEmpty();
        return c -> {
            Variable[] all = new Variable[variables];
            boolean can = Indexing.isIndex(c.input(at));
            for (int i = 0; i < variables; i++) {
                all[i] = ResourceHandle.resource(c.input(i), Variable.class);
                can &= all[i].isInitialised() && all[i].dtype() == all[0].dtype();
            }
            List<DType> dtypes = new ArrayList<>();
            Tensor[] inputs = new Tensor[c.inputCount()];
            for (int i = 0; i < inputs.length; i++) {
                if (i >= variables) inputs[i] = c.input(i);
                dtypes.add(i < variables ? all[i].dtype() : inputs[i].dtype());
            }
            Kernels k = can ? kernels.computeIfAbsent(dtypes, _ -> made(u, dtypes)) : null;
            if (k == null || k.text == null || !isCountable(all[0].valueShape(), inputs[at])) {
                host.run(c);
                return;
            }
            update(c, u, k, all, 0, inputs);
            if (isReference) c.forward(0, 0);
        };
    }

    /** The gradient is the only input but tables and indices that is no scalar: the one before its indices. */
    private Kernels made(Updating u, List<DType> dtypes) {
        List<Expr> inputs = new ArrayList<>();
        for (int i = 0; i < dtypes.size(); i++) inputs.add(Expr.input(i, dtypes.get(i)));
        return new Kernels(u.updates(inputs), u.rowInput() - 1);
    }

    private void update(KernelContext c, Updating u, Kernels k, Variable[] all, int at, Tensor[] inputs) {
        if (at < all.length) {
            all[at].update(c.memory(), t -> {
                inputs[at] = t;
                update(c, u, k, all, at + 1, inputs);
            });
            return;
        }
        Shape[] shapes = new Shape[inputs.length];
        for (int i = 0; i < shapes.length; i++) shapes[i] = inputs[i].shape();
        u.checkShapes(shapes);
        if (inputs[0].size() > 0 && inputs[u.rowInput()].size() > 0)
            apply(
                    c,
                    k,
                    inputs[u.rowInput()],
                    false,
                    inputs,
                    all.length,
                    (position, index, _) ->
                            "Index %d at offset %d in indices is out of range".formatted(index, position));
    }

    private void sum(KernelContext c) {
        Tensor x = c.input(0), ids = c.input(1);
        DType t = x.dtype();
        boolean can = c.isAllocated(0) && Indexing.isIndex(ids) && !t.isComplex();
        if (!can || c.output(0).shape().rank() == 0 || !isCountable(c.output(0).shape(), ids)) {
            host.run(c);
            return;
        }
        Tensor y = c.output(0);
        card.space.zero(y.place(), y.byteSize());
        if (x.size() == 0 || y.size() == 0) {
            if (ids.size() > 0) host.run(c);
            return;
        }
        Kernels k = combined(Combine.ADD, t, ids.dtype());
        if (k == null || k.text == null) host.run(c);
        else apply(c, k, ids, true, new Tensor[] {y, x}, 1, Indexing.outside(ids));
    }

    /** Changes {@code tables} tables, the first inputs, by the rows that belong to the indices. */
    private void apply(
            KernelContext c,
            Kernels k,
            Tensor indices,
            boolean skips,
            Tensor[] inputs,
            int tables,
            Faults.Message message) {
        Tensor heads = c.temporary(DType.I32, Shape.of(inputs[0].shape().dim(0)));
        Tensor next = c.temporary(DType.I32, Shape.of(indices.size()));
        Tensor many = c.temporary(DType.I32, Shape.of(1 + indices.size() / RowUpdateText.FEW));
        try {
            card.space.zero(heads.place(), heads.byteSize());
            card.space.zero(many.place(), 4);
            link(card.faults.number(c.node(), message), indices, skips, heads, next);
            long n = indices.size(),
                    inner = inputs[0].size() / inputs[0].shape().dim(0);
            long[] arguments = new long[7 + k.text.inputs()];
            long[] first = {indices.place(), heads.place(), next.place(), many.place(), n, inner, card.faults.word()};
            System.arraycopy(first, 0, arguments, 0, first.length);
            for (int i = 0; i < k.text.inputs(); i++) arguments[7 + i] = inputs[i].place();
            RowUpdateText.Form f = k.form(inputs, tables, inner);
            long[] functions = k.functions(indices.dtype(), f);
            long blocks = (n + f.entries() - 1) / f.entries();
            String name = op.signature().name();
            launch(name, functions[0], blocks, arguments, List.of(indices, heads, next, many), inputs, tables);
            launch(
                    name + " of rows of many",
                    functions[1],
                    BLOCKS_FOR_MANY,
                    arguments,
                    List.of(indices, many),
                    inputs,
                    tables);
        } finally {
            heads.release();
            next.release();
            many.release();
        }
    }

    private void launch(
            String name, long function, long blocks, long[] arguments, List<Tensor> read, Tensor[] inputs, int tables) {
        Spans spans = new Spans().reads(card.faults.word(), 4);
        for (Tensor t : read) spans.reads(t);
        spans.writes(read.getLast());
        for (int i = 0; i < inputs.length; i++) {
            if (i < tables) spans.writes(inputs[i]);
            else spans.reads(inputs[i]);
        }
        card.commands.launch(
                name,
                function,
                blocks,
                1,
                RowUpdateText.THREADS,
                Arrays.copyOf(arguments, arguments.length),
                spans.touched());
    }

    private record Link(DType index, boolean skips) {}

    private void link(int node, Tensor indices, boolean skips, Tensor heads, Tensor next) {
        long n = indices.size(), word = card.faults.word();
        card.commands.launch(
                "link",
                card.function(new Link(indices.dtype(), skips), "link", () -> IndexText.link(indices.dtype(), skips)),
                (n + IndexText.THREADS - 1) / IndexText.THREADS,
                1,
                IndexText.THREADS,
                new long[] {
                    indices.place(), heads.place(), next.place(), n, heads.size(), word, card.faults.report(), node
                },
                new Spans()
                        .reads(indices)
                        .reads(heads)
                        .writes(heads)
                        .writes(next)
                        .writes(word, 4)
                        .touched());
    }
}
