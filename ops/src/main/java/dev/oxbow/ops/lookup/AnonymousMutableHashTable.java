package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** A table of single values and that nobody else can find. */
@Signature("AnonymousMutableHashTable() -> (table_handle: resource) {key_dtype: type; value_dtype: type} stateful")
public record AnonymousMutableHashTable(DType keyDtype, DType valueDtype) implements Tables.Mutable, Tables.Anonymous {}
