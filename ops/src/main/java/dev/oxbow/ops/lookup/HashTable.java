package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** A table that is filled once, by reference. */
@Signature(
        "HashTable() -> (table_handle: ref string) {container: string = \"\"; shared_name: string = \"\"; use_node_name_sharing: bool = false; key_dtype: type; value_dtype: type} stateful")
public record HashTable(
        String container, String sharedName, boolean useNodeNameSharing, DType keyDtype, DType valueDtype)
        implements Tables.Hash, Tables.Shared {}
