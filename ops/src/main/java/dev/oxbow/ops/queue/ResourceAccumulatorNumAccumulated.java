package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** The number of gradients that were summed up. */
@Signature("ResourceAccumulatorNumAccumulated(handle: resource) -> (num_accumulated: int32) stateful")
public record ResourceAccumulatorNumAccumulated() implements Accumulators.Count {}
