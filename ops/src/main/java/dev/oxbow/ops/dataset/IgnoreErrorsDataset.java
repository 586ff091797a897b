package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The elements that can be made: those that fail are left out. */
@Signature(
        "IgnoreErrorsDataset(input_dataset: variant) -> (handle: variant) {output_types: list(type) >= 1; output_shapes: list(shape) >= 1; log_warning: bool = false}")
public record IgnoreErrorsDataset(List<DType> outputTypes, List<Shape> outputShapes, boolean logWarning)
        implements DatasetOp {
    private static final Logger LOG = LoggerFactory.getLogger(IgnoreErrorsDataset.class);

    @Override
    public Dataset dataset(KernelContext c) {
        Dataset from = Dataset.input(c, 0);
        return new Dataset(List.of(), List.of(from), () -> new Rest(from.open(), logWarning));
    }

    private static final class Rest extends Walks.Through {
        private final Elements all;
        private final boolean tells;

        private Rest(Elements all, boolean tells) {
            super(all);
            this.all = all;
            this.tells = tells;
        }

        @Override
        public void next(Turn turn, Taker taker) {
            Repeating.start(
                    turn,
                    taker,
                    again -> all.next(turn.apart(), (element, error) -> {
                        if (error == null || turn.context().cancellation().isCancelled()) {
                            taker.take(element, error);
                            return;
                        }
                        if (tells) LOG.warn("Error raised with error message {}", error.getMessage());
                        again.run();
                    }));
        }
    }
}
