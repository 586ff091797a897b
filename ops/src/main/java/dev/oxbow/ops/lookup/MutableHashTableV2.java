package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** A table of single values. */
@Signature(
        "MutableHashTableV2() -> (table_handle: resource) {container: string = \"\"; shared_name: string = \"\"; use_node_name_sharing: bool = false; key_dtype: type; value_dtype: type} stateful")
public record MutableHashTableV2(
        String container, String sharedName, boolean useNodeNameSharing, DType keyDtype, DType valueDtype)
        implements Tables.Mutable, Tables.Shared {}
