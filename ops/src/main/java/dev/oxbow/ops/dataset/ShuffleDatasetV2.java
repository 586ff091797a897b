package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A random one of the next so many elements, each time; a generator says by which seeds. */
@Signature("ShuffleDatasetV2(input_dataset: variant, buffer_size: int64, seed_generator: resource) -> (handle: variant)"
        + " {output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"} stateful")
public record ShuffleDatasetV2(List<DType> outputTypes, List<Shape> outputShapes, String metadata)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Shuffling.of(
                Dataset.input(c, 0),
                DatasetOp.number(c, 1, "buffer_size"),
                ResourceHandle.resource(c.input(2), Seeds.class));
    }
}
