package dev.oxbow.ops.nn;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Neural networks: the list of this package's ops. */
public final class NnOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of();
    }
}
