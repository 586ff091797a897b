package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Signature;

/** Frees a generator of seeds. */
@Signature("DeleteSeedGenerator(handle: resource, deleter: variant) -> () stateful")
public record DeleteSeedGenerator() implements Anonymous.Freeing {}
