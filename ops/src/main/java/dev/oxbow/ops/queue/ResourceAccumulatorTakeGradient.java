package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** Waits for so many gradients, gives their mean or sum, and begins the next step. */
@Signature(
        "ResourceAccumulatorTakeGradient(handle: resource, num_required: int32) -> (average: dtype) {dtype: type in [NUMBER]} stateful")
public record ResourceAccumulatorTakeGradient(DType dtype) implements Accumulators.Take {}
