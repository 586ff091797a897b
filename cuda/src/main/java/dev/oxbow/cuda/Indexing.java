package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.move.NdIndex;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.state.ResourceGather;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Ops that follow indices: rows of tensors and variables that are read. */
final class Indexing {
    /** A kernel that runs where the card can. */
    @FunctionalInterface
    private interface Body {
        /** False, with nothing done, where it can not. */
        boolean run(KernelContext c);
    }

    private record Key(int width, DType index) {}

    private Indexing() {}

    /** The kernel of an op that follows indices; null for others. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case GatherV2 g -> of(op, c -> gather(card, g, c));
            case ResourceGather g -> of(op, c -> gather(card, g, c));
            default -> null;
        };
    }

    private static Kernel of(Op op, Body body) {
        Fallback host = new Fallback(op);
        return c -> {
            if (!body.run(c)) host.run(c);
        };
    }

    static boolean isIndex(Tensor t) {
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
                        new Key(width, indices.dtype()), "gather", () -> IndexText.gather(width, indices.dtype())),
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
                    card.faults.number(c.node(), outside(indices))
                },
                spans.touched());
    }

    /** What is said of an index that is out of bounds. */
    static Faults.Message outside(Tensor indices) {
        Shape s = indices.shape();
        return (position, index, bound) ->
                "indices%s = %d is not in [0, %d)".formatted(NdIndex.position(s, position), index, bound);
    }
}
