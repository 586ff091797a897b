package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** A table that is filled once and that nobody else can find. */
@Signature("AnonymousHashTable() -> (table_handle: resource) {key_dtype: type; value_dtype: type} stateful")
public record AnonymousHashTable(DType keyDtype, DType valueDtype) implements Tables.Hash, Tables.Anonymous {}
