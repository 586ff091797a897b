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
        return AttentionPlan.of(backward, type(c.input(0)), type(c.input(1)), causal);
    }

    private static TensorType type(Tensor t) {
        return new TensorType(t.dtype(), t.shape());
    }

    private void forward(KernelContext c) {
        long[] numbers = {
            AttentionPlan.Q,
            AttentionPlan.K,
            AttentionPlan.V,
            AttentionPlan.Y,
            AttentionPlan.STATS,
            AttentionPlan.SCALE,
            AttentionPlan.NEVER
        };
        List<Tensor> in = List.of(c.input(0), c.input(1), c.input(2)), out = List.of(c.output(0), c.output(1));
        run(c, false, numbers, in, out, null);
    }

    private void backward(KernelContext c) {
        long[] numbers = {
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
        List<Tensor> in = List.of(c.input(0), c.input(1), c.input(2), c.input(3), c.input(4), c.input(5));
        Tensor sums = c.temporary(DType.F32, c.input(4).shape());
        try {
            run(c, true, numbers, in, List.of(c.output(0), c.output(1), c.output(2), sums), c.output(3));
        } finally {
            sums.release();
        }
    }

    private void run(KernelContext c, boolean backward, long[] all, List<Tensor> in, List<Tensor> out, Tensor room) {
        DnnRunner runner = card.dnn();
        int scalars = backward ? 3 : 2, tensors = in.size() + out.size();
        long[] places = new long[tensors + scalars];
        for (int i = 0; i < tensors; i++) places[i] = (i < in.size() ? in.get(i) : out.get(i - in.size())).place();
        for (int i = 0; i < scalars; i++) places[tensors + i] = numbers + 8L * i;
        if (runner == null || !runner.run(plan(c, backward), all, places, in, out, c, null, room)) host.run(c);
    }
}
