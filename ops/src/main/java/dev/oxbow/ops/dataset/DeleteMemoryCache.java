package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Signature;

/** Frees a memory of elements. */
@Signature("DeleteMemoryCache(handle: resource, deleter: variant) -> () stateful")
public record DeleteMemoryCache() implements Anonymous.Freeing {}
