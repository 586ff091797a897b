package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/** A table of vectors. */
@Signature(
        "MutableHashTableOfTensorsV2() -> (table_handle: resource) {container: string = \"\"; shared_name: string = \"\"; use_node_name_sharing: bool = false; key_dtype: type; value_dtype: type; value_shape: shape = shape { }} stateful")
public record MutableHashTableOfTensorsV2(
        String container,
        String sharedName,
        boolean useNodeNameSharing,
        DType keyDtype,
        DType valueDtype,
        Shape valueShape)
        implements Tables.MutableOfTensors, Tables.Shared {}
