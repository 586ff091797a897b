package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** A table that is filled once. */
@Signature(
        "HashTableV2() -> (table_handle: resource) {container: string = \"\"; shared_name: string = \"\"; use_node_name_sharing: bool = false; key_dtype: type; value_dtype: type} stateful")
public record HashTableV2(
        String container, String sharedName, boolean useNodeNameSharing, DType keyDtype, DType valueDtype)
        implements Tables.Hash, Tables.Shared {}
