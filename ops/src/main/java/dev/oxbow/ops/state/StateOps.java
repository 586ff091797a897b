package dev.oxbow.ops.state;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Variables and their updates: the list of this package's ops. */
public final class StateOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of();
    }
}
