package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Signature;

/** Frees a place in a data set. */
@Signature("DeleteIterator(handle: resource, deleter: variant) -> () stateful")
public record DeleteIterator() implements Anonymous.Freeing {}
