package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import java.util.List;

/** The input, for a debugger to look at; its specifications name ops that graphs of a debugger have beside it. */
@Signature("Copy(input: T) -> (output: T) {T: type; tensor_name: string = \"\"; debug_ops_spec: list(string) = []}")
public record Copy(String tensorName, List<String> debugOpsSpec) implements DebugCopy {}
