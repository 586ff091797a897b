package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Signature;

/** Frees a generator of seeds. */
@Signature("DeleteRandomSeedGenerator(handle: resource, deleter: variant) -> () stateful")
public record DeleteRandomSeedGenerator() implements Anonymous.Freeing {}
