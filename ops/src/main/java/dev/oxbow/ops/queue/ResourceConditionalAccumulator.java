package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/** Sums up gradients until so many have come as somebody asks for. */
@Signature(
        "ResourceConditionalAccumulator() -> (handle: resource) {dtype: type in [NUMBER]; shape: shape; container: string = \"\"; shared_name: string = \"\"; reduction_type: string in [\"MEAN\" \"SUM\"] = \"MEAN\"} stateful")
public record ResourceConditionalAccumulator(
        DType dtype, Shape shape, String container, String sharedName, String reductionType)
        implements Accumulators.Open {}
