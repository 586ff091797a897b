package dev.oxbow.ops.batching;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Joins gradients of the calls of a batch for the one that has it; the others get no rows. */
@Signature(
        "UnbatchGrad(original_input: T, batch_index: int64, grad: T, id: int64) -> (batched_grad: T) {container: string = \"\"; shared_name: string = \"\"; T: type}")
public record UnbatchGrad(String container, String sharedName) implements NotDifferentiable, Taking {
    /** How long gradients wait for each other; TensorFlow has no attribute for it. */
    private static final long MICROS = TimeUnit.MINUTES.toMicros(10);

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Unbatch.index(c, 1);
        c.scalar(3);
        c.rankAtLeast(0, 1);
        c.rankAtLeast(2, 1);
        Shape s = c.shape(2);
        return List.of(c.input(2).withShape(s.isRankKnown() ? s.withDim(0, -1) : s));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Meeting meeting = Meeting.of(c, container, sharedName, "gradients");
            Tensor index = c.input(1), gradient = c.keep(2);
            int calls = Math.toIntExact(index.shape().dim(0));
            long id = c.input(3).getLong(0);
            Tensor none = calls == 0 ? gradient.viewRows(0, 0) : null;
            Completion done = c.defer();
            Gathered all = new Gathered(c, done, new Tensor[calls]);
            for (int k = 0; k < calls; k++) {
                int at = k;
                meeting.take(c, index.getLong(3L * k), MICROS, (t, error) -> all.put(at, t, error));
            }
            meeting.give(id, gradient, MICROS);
            if (calls == 0) BatchTask.end(c, done, List.of(none), null);
        };
    }

    /** Gradients that have come so far. */
    private static final class Gathered {
        private final KernelContext c;
        private final Completion done;
        private final Tensor[] all;
        private int missing;
        private Throwable failure;

        private Gathered(KernelContext c, Completion done, Tensor[] all) {
            this.c = c;
            this.done = done;
            this.all = all;
            this.missing = all.length;
        }

        private void put(int k, Tensor t, Throwable error) {
            synchronized (this) {
                all[k] = t;
                if (error != null) failure = error;
                if (--missing > 0) return;
            }
            List<Tensor> there = new ArrayList<>(Arrays.asList(all));
            there.removeIf(x -> x == null);
            List<Tensor> joined = null;
            Throwable why = failure;
            try {
                if (why == null) joined = List.of(Rows.join(c, there));
            } catch (RuntimeException | Error e) {
                why = e;
            }
            Rows.release(there);
            BatchTask.end(c, done, joined, why);
        }
    }
}
