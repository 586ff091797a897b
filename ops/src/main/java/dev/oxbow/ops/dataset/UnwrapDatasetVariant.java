package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;

/** The same data set, out of a variant around it. */
@Signature("UnwrapDatasetVariant(input_handle: variant) -> (output_handle: variant)")
public record UnwrapDatasetVariant() implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Dataset.same(c, 0);
    }
}
