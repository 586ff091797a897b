package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** Whether a variable has a value. */
@Signature("VarIsInitializedOp(resource: resource) -> (is_initialized: bool) stateful")
public record VarIsInitializedOp() implements Variables.IsInitialised {}
