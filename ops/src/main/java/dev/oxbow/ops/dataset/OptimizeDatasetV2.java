package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The same elements: rewrites of pipelines change no element. */
@Signature("OptimizeDatasetV2(input_dataset: variant, optimizations_enabled: string, optimizations_disabled: string,"
        + " optimizations_default: string) -> (handle: variant) {output_types: list(type) >= 1; output_shapes:"
        + " list(shape) >= 1; optimization_configs: list(string) = []}")
public record OptimizeDatasetV2(List<DType> outputTypes, List<Shape> outputShapes, List<String> optimizationConfigs)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Dataset.same(c, 0);
    }
}
