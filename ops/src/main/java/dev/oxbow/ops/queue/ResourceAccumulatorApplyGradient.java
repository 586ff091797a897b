package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Adds a gradient that was computed at a local step, unless it is too old. */
@Signature(
        "ResourceAccumulatorApplyGradient(handle: resource, local_step: int64, gradient: dtype) -> () {dtype: type in [NUMBER]} stateful")
public record ResourceAccumulatorApplyGradient() implements Accumulators.Apply {}
