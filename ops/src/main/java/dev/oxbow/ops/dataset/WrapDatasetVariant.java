package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;

/** The same data set, inside of one more variant. */
@Signature("WrapDatasetVariant(input_handle: variant) -> (output_handle: variant)")
public record WrapDatasetVariant() implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Dataset.same(c, 0);
    }
}
