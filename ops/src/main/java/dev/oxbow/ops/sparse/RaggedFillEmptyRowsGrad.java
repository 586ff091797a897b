package dev.oxbow.ops.sparse;

import dev.oxbow.graph.Signature;

/** The gradients of {@code RaggedFillEmptyRows}. */
@Signature("RaggedFillEmptyRowsGrad(reverse_index_map: int64, grad_values: T) -> (d_values: T, d_default_value: T) {T:"
        + " type}")
public record RaggedFillEmptyRowsGrad() implements EmptyRowsGrad {}
