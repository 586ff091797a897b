package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Whole numbers of 32 bits without end; a generator of seeds says how each walk begins. */
@Signature("RandomDatasetV2(seed: int64, seed2: int64, seed_generator: resource) -> (handle: variant)"
        + " {rerandomize_each_iteration: bool = false; output_types: list(type) >= 1; output_shapes: list(shape)"
        + " >= 1; metadata: string = \"\"} stateful")
public record RandomDatasetV2(
        boolean rerandomizeEachIteration, List<DType> outputTypes, List<Shape> outputShapes, String metadata)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Draws.numbers(Seeds.input(
                c, 2, DatasetOp.number(c, 0, "seed"), DatasetOp.number(c, 1, "seed2"), rerandomizeEachIteration));
    }
}
