package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** The number of gradients that were summed up. */
@Signature("AccumulatorNumAccumulated(handle: ref string) -> (num_accumulated: int32)")
public record AccumulatorNumAccumulated() implements Accumulators.Count {}
