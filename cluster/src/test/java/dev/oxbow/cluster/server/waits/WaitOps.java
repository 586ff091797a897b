package dev.oxbow.cluster.server.waits;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** An op for tests, found as those of others are. */
public final class WaitOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of("TestWait");
    }
}
