package dev.oxbow.ops.batching;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The rows of a batch that belong to this call; whoever has the batch gives them to the others. */
@Signature(
        "Unbatch(batched_tensor: T, batch_index: int64, id: int64) -> (unbatched_tensor: T) {timeout_micros: int; container: string = \"\"; shared_name: string = \"\"; T: type}")
public record Unbatch(long timeoutMicros, String container, String sharedName) implements Differentiable, Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        index(c, 1);
        c.scalar(2);
        c.rankAtLeast(0, 1);
        Shape s = c.shape(0);
        return List.of(c.input(0).withShape(s.isRankKnown() ? s.withDim(0, -1) : s));
    }

    /** Checks an input that says whose rows are where: call, first row, end. */
    static void index(InferenceContext c, int i) {
        c.rank(i, 2);
        c.dim(i, 1, 3);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Meeting meeting = Meeting.of(c, container, sharedName, "rows");
            Tensor index = c.input(1);
            long id = c.input(2).getLong(0), rows = c.input(0).shape().dim(0);
            for (long k = 0; k < index.shape().dim(0); k++) {
                long from = index.getLong(3 * k + 1), to = index.getLong(3 * k + 2);
                require(
                        from >= 0 && from <= to && to <= rows,
                        INVALID_ARGUMENT,
                        "a batch of %d rows has no rows [%d, %d)",
                        rows,
                        from,
                        to);
            }
            Tensor batch = c.keep(0);
            Completion done = c.defer();
            meeting.take(
                    c, id, timeoutMicros, (t, error) -> BatchTask.end(c, done, t == null ? null : List.of(t), error));
            for (long k = 0; k < index.shape().dim(0); k++) {
                long from = index.getLong(3 * k + 1), to = index.getLong(3 * k + 2);
                meeting.give(index.getLong(3 * k), batch.viewRows(from, to - from), timeoutMicros);
            }
            batch.release();
        };
    }

    /** The gradients of all calls, for the one that has the batch. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value d =
                Value.apply(new UnbatchGrad(container, sharedName), g.input(0), g.input(1), g.gradient(0), g.input(2));
        return Arrays.asList(d, null, null);
    }
}
