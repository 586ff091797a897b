package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** Whether a referenced variable has a value. */
@Signature("IsVariableInitialized(ref: ref dtype) -> (is_initialized: bool) {dtype: type}")
public record IsVariableInitialized() implements Variables.IsInitialised {}
