package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A random one of the next so many elements, each time. */
@Signature("ShuffleDataset(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64) -> (handle: variant)"
        + " {reshuffle_each_iteration: bool = true; output_types: list(type) >= 1; output_shapes: list(shape) >="
        + " 1; metadata: string = \"\"}")
public record ShuffleDataset(
        boolean reshuffleEachIteration, List<DType> outputTypes, List<Shape> outputShapes, String metadata)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Shuffling.of(
                Dataset.input(c, 0),
                DatasetOp.number(c, 1, "buffer_size"),
                Seeds.of(DatasetOp.number(c, 2, "seed"), DatasetOp.number(c, 3, "seed2"), reshuffleEachIteration));
    }
}
