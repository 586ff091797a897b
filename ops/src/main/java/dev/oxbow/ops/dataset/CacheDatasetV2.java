package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Elements that are kept in a memory, or in a file where one is named, once all were seen. */
@Signature(
        "CacheDatasetV2(input_dataset: variant, filename: string, cache: resource) -> (handle: variant) {output_types:"
                + " list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"} stateful")
public record CacheDatasetV2(List<DType> outputTypes, List<Shape> outputShapes, String metadata) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        String file = FileElements.text(c, 1, "filename");
        Dataset from = Dataset.input(c, 0);
        return file.isEmpty()
                ? Caching.of(from, MemoryCache.input(c, 2))
                : FileCache.of(from, file, outputTypes.size());
    }
}
