package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Adds a gradient that was computed at a local step, unless it is too old. */
@Signature(
        "AccumulatorApplyGradient(handle: ref string, local_step: int64, gradient: dtype) -> () {dtype: type in [NUMBER]}")
public record AccumulatorApplyGradient() implements Accumulators.Apply {}
