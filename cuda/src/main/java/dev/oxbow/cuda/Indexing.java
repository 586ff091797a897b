package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.move.NdIndex;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.state.ResourceGather;
import dev.oxbow.ops.state.ResourceScatterAdd;
import dev.oxbow.ops.state.ResourceScatterSub;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Ops that follow indices: rows of tensors and variables that are read, and rows of variables that are changed. */
final class Indexing {
    private static final int BLOCKS_FOR_MANY = 64;

    /** A kernel that runs where the card can. */
    @FunctionalInterface
    private interface Body {
        /** False, with nothing done, where it can not. */
        boolean run(KernelContext c);
    }

    private record Key(String entry, int variant, DType index, DType element) {}

    private Indexing() {}

    /** The kernel of an op that follows indices; null for others. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case GatherV2 g -> of(op, c -> gather(card, g, c));
            case ResourceGather g -> of(op, c -> gather(card, g, c));
            case ResourceScatterAdd s -> of(op, c -> scatter(card, c, true));
            case ResourceScatterSub s -> of(op, c -> scatter(card, c, false));
            default -> null;
        };
    }

    private static Kernel of(Op op, Body body) {
        Fallback host = new Fallback(op);
        return c -> {
            if (!body.run(c)) host.run(c);
        };
    }

    private static boolean isIndex(Tensor t) {
        return t.dtype() == DType.I32 || t.dtype() == DType.I64;
    }

    private static boolean gather(Card card, GatherV2 g, KernelContext c) {
        Tensor x = c.input(0), indices = c.input(1);
        if (g.batchDims() != 0 || x.dtype().isObject() || !isIndex(indices) || !c.isAllocated(0)) return false;
        long axis = c.onHost(2).getLong(0);
        int at = (int) (axis < 0 ? axis + x.shape().rank() : axis);
        gather(card, c, x, indices, at, c.output(0));
        return true;
    }

    private static boolean gather(Card card, ResourceGather g, KernelContext c) {
        Variable v = ResourceHandle.resource(c.input(0), Variable.class);
        Tensor indices = c.input(1);
        if (g.batchDims() != 0
                || !v.isInitialised()
                || v.dtype() != g.dtype()
                || v.dtype().isObject()) return false;
        if (!isIndex(indices) || v.valueShape().rank() == 0) return false;
        Tensor x = v.read(c.memory());
        try {
            Shape s = x.shape();
            Tensor y = c.allocate(0, indices.shape().concat(s.slice(1, s.rank())));
            gather(card, c, x, indices, 0, y);
        } finally {
            x.release();
        }
        return true;
    }

    private static void gather(Card card, KernelContext c, Tensor x, Tensor indices, int axis, Tensor y) {
        if (y.size() == 0) return;
        Shape s = x.shape();
        long outer = s.slice(0, axis).size(),
                bytes = s.slice(axis + 1, s.rank()).size() * x.dtype().size();
        long places = x.place() | y.place() | bytes;
        int width = (places & 15) == 0 ? 16 : (places & 7) == 0 ? 8 : (places & 3) == 0 ? 4 : (places & 1) == 0 ? 2 : 1;
        long inner = bytes / width, n = outer * indices.size() * inner;
        Spans spans = new Spans().reads(x).reads(indices).writes(y).writes(card.faults.word(), 4);
        card.commands.launch(
                "gather",
                card.function(
                        new Key("gather", width, indices.dtype(), null),
                        "gather",
                        () -> IndexText.gather(width, indices.dtype())),
                (n + IndexText.THREADS - 1) / IndexText.THREADS,
                1,
                IndexText.THREADS,
                new long[] {
                    x.place(),
                    indices.place(),
                    y.place(),
                    outer,
                    s.dim(axis),
                    indices.size(),
                    inner,
                    card.faults.word(),
                    card.faults.report(),
                    node(card, c, indices.shape())
                },
                spans.touched());
    }

    /** The number by which a bad index is told. */
    private static int node(Card card, KernelContext c, Shape indices) {
        return card.faults.number(
                c.node(),
                (position, index, bound) -> "indices%s = %d is not in [0, %d)"
                        .formatted(NdIndex.position(indices, position), index, bound));
    }

    private static boolean scatter(Card card, KernelContext c, boolean adds) {
        Variable v = ResourceHandle.resource(c.input(0), Variable.class);
        Tensor indices = c.input(1), updates = c.input(2);
        if (!v.isInitialised() || v.dtype() != updates.dtype() || !isIndex(indices)) return false;
        DType t = updates.dtype();
        boolean computed = t == DType.F32 || t == DType.F64 || t == DType.I32 || t == DType.I64;
        Shape s = v.valueShape();
        if (!computed || s.rank() == 0 || s.dim(0) > Integer.MAX_VALUE || indices.size() > Integer.MAX_VALUE / 64)
            return false;
        if (!updates.shape().equals(indices.shape().concat(s.slice(1, s.rank())))) return false;
        if (updates.size() == 0) return true;
        v.update(c.memory(), table -> scatter(card, c, table, indices, updates, adds));
        return true;
    }

    private static void scatter(
            Card card, KernelContext c, Tensor table, Tensor indices, Tensor updates, boolean adds) {
        Tensor heads = c.temporary(DType.I32, Shape.of(table.shape().dim(0)));
        Tensor next = c.temporary(DType.I32, Shape.of(indices.size()));
        Tensor many = c.temporary(DType.I32, Shape.of(1 + indices.size() / IndexText.FEW));
        try {
            card.space.zero(heads.place(), heads.byteSize());
            card.space.zero(many.place(), 4);
            link(card, node(card, c, indices.shape()), indices, heads, next);
            apply(card, table, indices, updates, adds, List.of(heads, next, many));
            applyMany(card, table, indices, updates, adds, many);
        } finally {
            heads.release();
            next.release();
            many.release();
        }
    }

    private static void link(Card card, int node, Tensor indices, Tensor heads, Tensor next) {
        long n = indices.size(), word = card.faults.word();
        card.commands.launch(
                "link",
                card.function(new Key("link", 0, indices.dtype(), null), "link", () -> IndexText.link(indices.dtype())),
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

    /** {@code lists} are the heads, the links and the rows of many. */
    private static void apply(
            Card card, Tensor table, Tensor indices, Tensor updates, boolean adds, List<Tensor> lists) {
        Tensor heads = lists.get(0), next = lists.get(1), many = lists.get(2);
        long n = indices.size(), inner = table.size() / table.shape().dim(0), word = card.faults.word();
        Key key = new Key("apply", adds ? 1 : 0, indices.dtype(), updates.dtype());
        Spans spans = new Spans()
                .reads(indices)
                .reads(heads)
                .reads(next)
                .reads(updates)
                .reads(word, 4);
        card.commands.launch(
                "apply",
                card.function(
                        key,
                        "apply",
                        () -> IndexText.apply(updates.dtype(), indices.dtype(), combine(updates.dtype(), adds))),
                (n + 7) / 8,
                1,
                IndexText.THREADS,
                new long[] {
                    indices.place(),
                    heads.place(),
                    next.place(),
                    updates.place(),
                    table.place(),
                    many.place(),
                    n,
                    inner,
                    word
                },
                spans.writes(table).writes(many).touched());
    }

    private static void applyMany(Card card, Tensor table, Tensor indices, Tensor updates, boolean adds, Tensor many) {
        long n = indices.size(), inner = table.size() / table.shape().dim(0), word = card.faults.word();
        Key key = new Key("apply_many", adds ? 1 : 0, indices.dtype(), updates.dtype());
        Spans spans = new Spans().reads(indices).reads(updates).reads(many).reads(word, 4);
        card.commands.launch(
                "apply to rows of many",
                card.function(
                        key,
                        "apply_many",
                        () -> IndexText.applyMany(updates.dtype(), indices.dtype(), combine(updates.dtype(), adds))),
                BLOCKS_FOR_MANY,
                1,
                IndexText.THREADS,
                new long[] {indices.place(), updates.place(), table.place(), many.place(), n, inner, word},
                spans.writes(table).touched());
    }

    private static String combine(DType t, boolean adds) {
        return switch (t) {
            case F32 -> adds ? "__fadd_rn(y, u)" : "__fsub_rn(y, u)";
            case F64 -> adds ? "__dadd_rn(y, u)" : "__dsub_rn(y, u)";
            case I64 -> "(long long)((unsigned long long)y %s (unsigned long long)u)".formatted(adds ? "+" : "-");
            default -> "(int)((unsigned)y %s (unsigned)u)".formatted(adds ? "+" : "-");
        };
    }
}
