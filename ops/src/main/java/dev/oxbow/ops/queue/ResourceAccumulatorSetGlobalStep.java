package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Sets the step below which gradients are too old. */
@Signature("ResourceAccumulatorSetGlobalStep(handle: resource, new_global_step: int64) -> () stateful")
public record ResourceAccumulatorSetGlobalStep() implements Accumulators.SetStep {}
