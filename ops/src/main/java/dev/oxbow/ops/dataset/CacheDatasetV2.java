package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Elements that are kept in a memory once all were seen. */
@Signature(
        "CacheDatasetV2(input_dataset: variant, filename: string, cache: resource) -> (handle: variant) {output_types:"
                + " list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"} stateful")
public record CacheDatasetV2(List<DType> outputTypes, List<Shape> outputShapes, String metadata) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        String file = FileElements.text(c, 1, "filename");
        require(file.isEmpty(), UNIMPLEMENTED, "elements are kept in memory only, got file '%s'", file);
        return Caching.of(Dataset.input(c, 0), MemoryCache.input(c, 2));
    }
}
