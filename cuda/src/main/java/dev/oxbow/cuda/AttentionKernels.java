package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Attention and its gradient by cuDNN. */
final class AttentionKernels {
    private final Card card;
    private final boolean causal;
    private final Fallback host;

    /** Scale, the score of what is not seen, and 1, one after the other on the host, for as long as the process lives. */
    private final long numbers;

    private AttentionKernels(Card card, Op op, float scale, boolean causal) {
        this.card = card;
        this.causal = causal;
        this.host = new Fallback(op);
        this.numbers = Arena.global().allocate(ValueLayout.JAVA_LONG, 3).address();
        Memory.putFloat(numbers, scale);
        Memory.putFloat(numbers + 8, Float.NEGATIVE_INFINITY);
        Memory.putFloat(numbers + 16, 1);
    }

    /** The kernel of an op that attends; null for others. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case Attention a -> new AttentionKernels(card, op, a.scale(), a.causal())::forward;
            case AttentionGrad a -> new AttentionKernels(card, op, a.scale(), a.causal())::backward;
            default -> null;
        };
    }

    private AttentionPlan plan(KernelContext c, boolean backward) {
        Tensor q = c.input(0), k = c.input(isPacked(q) ? 0 : 1);
        return AttentionPlan.of(
                backward, new TensorType(q.dtype(), q.shape()), new TensorType(k.dtype(), k.shape()), causal);
    }

    private static boolean isPacked(Tensor t) {
        return t.shape().rank() == 5;
    }

    /** Where queries, keys and values begin, or their gradients: three tensors, or parts of one. */
    private static long place(Tensor[] all, int part) {
        Tensor t = all[0];
        if (!isPacked(t)) return all[part].place();
        return t.place()
                + part * t.shape().dim(3) * t.shape().dim(4) * t.dtype().size();
    }

    private void forward(KernelContext c) {
        long[] tensors = {
            AttentionPlan.Q,
            AttentionPlan.K,
            AttentionPlan.V,
            AttentionPlan.Y,
            AttentionPlan.STATS,
            AttentionPlan.SCALE,
            AttentionPlan.NEVER
        };
        Tensor[] in = c.inputs(), out = c.outputs();
        long[] places = {place(in, 0), place(in, 1), place(in, 2), out[0].place(), out[1].place(), numbers, numbers + 8
        };
        run(c, false, tensors, places, List.of(in), List.of(out), null);
    }

    private void backward(KernelContext c) {
        long[] tensors = {
            AttentionPlan.Q,
            AttentionPlan.K,
            AttentionPlan.V,
            AttentionPlan.Y,
            AttentionPlan.STATS,
            AttentionPlan.DY,
            AttentionPlan.DQ,
            AttentionPlan.DK,
            AttentionPlan.DV,
            AttentionPlan.SUMS,
            AttentionPlan.SCALE,
            AttentionPlan.NEVER,
            AttentionPlan.ONE
        };
        Tensor[] in = c.inputs(), out = c.outputs();
        int parts = in.length - 3;
        Tensor sums = c.temporary(DType.F32, in[parts + 1].shape());
        try {
            long[] places = {
                place(in, 0),
                place(in, 1),
                place(in, 2),
                in[parts].place(),
                in[parts + 1].place(),
                in[parts + 2].place(),
                place(out, 0),
                place(out, 1),
                place(out, 2),
                sums.place(),
                numbers,
                numbers + 8,
                numbers + 16
            };
            List<Tensor> made = new ArrayList<>(List.of(out).subList(0, parts));
            made.add(sums);
            run(c, true, tensors, places, List.of(in), made, out[parts]);
        } finally {
            sums.release();
        }
    }

    private void run(
            KernelContext c,
            boolean back,
            long[] tensors,
            long[] places,
            List<Tensor> in,
            List<Tensor> out,
            Tensor room) {
        DnnRunner runner = card.dnn();
        if (runner == null || !runner.run(plan(c, back), tensors, places, in, out, c, null, room)) host.run(c);
    }
}
