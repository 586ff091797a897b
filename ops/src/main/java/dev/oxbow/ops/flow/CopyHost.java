package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import java.util.List;

/** The input on the host, for a debugger to look at. */
@Signature("CopyHost(input: T) -> (output: T) {T: type; tensor_name: string = \"\"; debug_ops_spec: list(string) = []}")
public record CopyHost(String tensorName, List<String> debugOpsSpec) implements DebugCopy {}
