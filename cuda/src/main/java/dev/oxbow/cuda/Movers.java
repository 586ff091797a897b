package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.Fill;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.Pad;
import dev.oxbow.ops.array.Slice;
import dev.oxbow.ops.array.Split;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.array.Unpack;
import dev.oxbow.ops.array.ZerosLike;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Ops that move elements without looking at them. What they must know first, such as axes, they read on the host. */
final class Movers {

    /** A kernel for tensors of numbers whose outputs have their memory. */
    @FunctionalInterface
    private interface Mover {
        void run(Card card, KernelContext c);
    }

    private Movers() {}

    /** The kernel of an op that moves elements; null for others. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case Transpose t -> of(card, op, 0, Movers::transpose);
            case ConcatV2 j -> of(card, op, 0, (k, c) -> join(k, c, (int) axis(c, c.inputCount() - 1)));
            case Pack p -> of(card, op, 0, (k, c) -> pack(k, c, p.axis()));
            case Split s -> of(card, op, 1, Movers::split);
            case Unpack u -> of(card, op, 0, (k, c) -> unpack(k, c, u.axis()));
            case Slice s -> of(card, op, 0, Movers::slice);
            case Pad p -> of(card, op, 0, Movers::pad);
            case Fill f -> of(card, op, 1, Movers::fill);
            case ZerosLike z ->
                of(
                        card,
                        op,
                        0,
                        (k, c) -> k.space.zero(c.output(0).place(), c.output(0).byteSize()));
            default -> null;
        };
    }

    /** Whether an input says how elements are moved, and is none of them. */
    static boolean reads(Op op, int input) {
        return switch (op) {
            case ConcatV2 _ -> false; // the axis comes last, and how many are before it only a node knows
            case Split _, Fill _ -> input == 0;
            case Transpose _, Slice _, Pad _ -> input > 0;
            default -> false;
        };
    }

    private static Kernel of(Card card, Op op, int moved, Mover mover) {
        Fallback host = new Fallback(op);
        return c -> {
            boolean can = !c.input(moved).dtype().isObject();
            for (int i = 0; i < c.outputCount(); i++) can &= c.isAllocated(i);
            if (can) mover.run(card, c);
            else host.run(c);
        };
    }

    private static long axis(KernelContext c, int input) {
        long a = c.onHost(input).getLong(0);
        return a < 0 ? a + c.output(0).shape().rank() : a;
    }

    private static int width(Tensor t) {
        return t.dtype().size();
    }

    private static void transpose(Card card, KernelContext c) {
        Tensor x = c.input(0), y = c.output(0), order = c.onHost(1);
        long[] dims = y.shape().dims(), strides = StridedCopy.dense(x.shape().dims()), from = new long[dims.length];
        for (int d = 0; d < dims.length; d++) {
            long axis = order.getLong(d);
            from[d] = strides[(int) (axis < 0 ? axis + dims.length : axis)];
        }
        StridedCopy.run(card, width(x), dims, x.place(), from, y.place(), StridedCopy.dense(dims));
    }

    private static void join(Card card, KernelContext c, int axis) {
        Tensor y = c.output(0);
        long[] to = StridedCopy.dense(y.shape().dims());
        long at = y.place();
        for (int i = 0; i < c.inputCount() - 1; i++) {
            Tensor x = c.input(i);
            long[] dims = x.shape().dims();
            StridedCopy.run(card, width(y), dims, x.place(), StridedCopy.dense(dims), at, to);
            at += dims[axis] * to[axis] * width(y);
        }
    }

    private static void pack(Card card, KernelContext c, int axis) {
        Tensor y = c.output(0);
        int rank = y.shape().rank(), d = axis < 0 ? axis + rank : axis;
        long inner = y.shape().slice(d + 1, rank).size(),
                outer = y.shape().slice(0, d).size();
        long[] dims = {outer, inner}, to = {inner * c.inputCount(), 1}, from = {inner, 1};
        for (int i = 0; i < c.inputCount(); i++)
            StridedCopy.run(card, width(y), dims, c.input(i).place(), from, y.place() + i * inner * width(y), to);
    }

    private static void unpack(Card card, KernelContext c, int axis) {
        Tensor x = c.input(0);
        int rank = x.shape().rank(), d = axis < 0 ? axis + rank : axis;
        long inner = x.shape().slice(d + 1, rank).size(),
                outer = x.shape().slice(0, d).size();
        long[] dims = {outer, inner}, from = {inner * c.outputCount(), 1}, to = {inner, 1};
        for (int i = 0; i < c.outputCount(); i++)
            StridedCopy.run(
                    card,
                    width(x),
                    dims,
                    x.place() + i * inner * width(x),
                    from,
                    c.output(i).place(),
                    to);
    }

    private static void split(Card card, KernelContext c) {
        Tensor x = c.input(1);
        int axis = (int) axis(c, 0);
        long[] from = StridedCopy.dense(x.shape().dims());
        long at = x.place();
        for (int i = 0; i < c.outputCount(); i++) {
            Tensor y = c.output(i);
            long[] dims = y.shape().dims();
            StridedCopy.run(card, width(x), dims, at, from, y.place(), StridedCopy.dense(dims));
            at += dims[axis] * from[axis] * width(x);
        }
    }

    private static void slice(Card card, KernelContext c) {
        Tensor x = c.input(0), y = c.output(0), begin = c.onHost(1);
        long[] from = StridedCopy.dense(x.shape().dims()), dims = y.shape().dims();
        long at = 0;
        for (int d = 0; d < dims.length; d++) at += begin.getLong(d) * from[d];
        StridedCopy.run(card, width(x), dims, x.place() + at * width(x), from, y.place(), StridedCopy.dense(dims));
    }

    private static void pad(Card card, KernelContext c) {
        Tensor x = c.input(0), y = c.output(0), paddings = c.onHost(1);
        long[] dims = x.shape().dims(), to = StridedCopy.dense(y.shape().dims());
        long at = 0;
        for (int d = 0; d < dims.length; d++) at += paddings.getLong(2L * d) * to[d];
        card.space.zero(y.place(), y.byteSize());
        StridedCopy.run(card, width(x), dims, x.place(), StridedCopy.dense(dims), y.place() + at * width(x), to);
    }

    private static void fill(Card card, KernelContext c) {
        Tensor value = c.input(1), y = c.output(0);
        new CardElementwise(card, "fill", List.of(Expr.input(0, value.dtype())), false)
                .run(y.shape(), new Tensor[] {value}, new Tensor[] {y});
    }
}
