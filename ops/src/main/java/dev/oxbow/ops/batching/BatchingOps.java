package dev.oxbow.ops.batching;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Batches of calls: the list of this package's ops. */
public final class BatchingOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of("Batch", "BatchFunction", "Unbatch", "UnbatchGrad");
    }
}
