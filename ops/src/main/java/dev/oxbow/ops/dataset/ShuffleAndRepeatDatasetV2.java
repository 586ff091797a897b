package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A shuffled data set so many times; a generator says by which seeds. */
@Signature("ShuffleAndRepeatDatasetV2(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count:"
        + " int64, seed_generator: resource) -> (handle: variant) {reshuffle_each_iteration: bool = true;"
        + " output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"} stateful")
public record ShuffleAndRepeatDatasetV2(
        boolean reshuffleEachIteration, List<DType> outputTypes, List<Shape> outputShapes, String metadata)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        Dataset shuffled = Shuffling.of(
                Dataset.input(c, 0),
                DatasetOp.number(c, 1, "buffer_size"),
                Seeds.input(
                        c, 5, DatasetOp.number(c, 2, "seed"), DatasetOp.number(c, 3, "seed2"), reshuffleEachIteration));
        try {
            return Walks.repeat(shuffled, DatasetOp.number(c, 4, "count"));
        } finally {
            shuffled.release();
        }
    }
}
