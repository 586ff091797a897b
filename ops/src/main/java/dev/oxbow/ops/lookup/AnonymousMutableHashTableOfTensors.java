package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/** A table of vectors and that nobody else can find. */
@Signature(
        "AnonymousMutableHashTableOfTensors() -> (table_handle: resource) {key_dtype: type; value_dtype: type; value_shape: shape = shape { }} stateful")
public record AnonymousMutableHashTableOfTensors(DType keyDtype, DType valueDtype, Shape valueShape)
        implements Tables.MutableOfTensors, Tables.Anonymous {}
