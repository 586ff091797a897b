package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Each element some time after it was asked for. */
@Signature(
        "SleepDataset(input_dataset: variant, sleep_microseconds: int64) -> (handle: variant) {output_types: list(type) >= 1; output_shapes: list(shape) >= 1}")
public record SleepDataset(List<DType> outputTypes, List<Shape> outputShapes) implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        long micros = DatasetOp.number(c, 1, "sleep_microseconds");
        require(micros >= 0, INVALID_ARGUMENT, "sleep_microseconds must be non-negative, got %d", micros);
        Dataset from = Dataset.input(c, 0);
        return new Dataset(List.of(), List.of(from), () -> new Late(from.open(), micros)).sized(from.size());
    }

    private static final class Late extends Walks.Through {
        private final Elements all;
        private final long micros;

        private Late(Elements all, long micros) {
            super(all);
            this.all = all;
            this.micros = micros;
        }

        @Override
        public void next(Turn turn, Taker taker) {
            CompletableFuture<Void> slept = new CompletableFuture<>();
            Cancellation token = turn.context().cancellation();
            long number = token.register(slept::completeExceptionally);
            slept.whenCompleteAsync((_, error) -> {
                token.unregister(number);
                if (error != null) taker.take(null, error);
                else Turn.guarded(taker, () -> all.next(turn, taker));
            });
            if (number < 0) slept.completeExceptionally(token.reason());
            else slept.completeOnTimeout(null, micros, TimeUnit.MICROSECONDS);
        }
    }
}
