package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Sets the step below which gradients are too old. */
@Signature("AccumulatorSetGlobalStep(handle: ref string, new_global_step: int64) -> ()")
public record AccumulatorSetGlobalStep() implements Accumulators.SetStep {}
