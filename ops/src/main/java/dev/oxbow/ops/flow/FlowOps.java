package dev.oxbow.ops.flow;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Queues, tensor arrays, lists, stacks, tables, strings and files: the list of this package's ops. */
public final class FlowOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of();
    }
}
