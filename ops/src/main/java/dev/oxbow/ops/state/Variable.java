package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/** A variable by reference, uninitialised until it is assigned; the older form of VariableV2. */
@Signature(
        "Variable() -> (ref: ref dtype) {shape: shape; dtype: type; container: string = \"\"; shared_name: string = \"\"} stateful")
public record Variable(Shape shape, DType dtype, String container, String sharedName) implements Variables.Referenced {}
