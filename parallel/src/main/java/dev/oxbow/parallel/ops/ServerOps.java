package dev.oxbow.parallel.ops;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** The list of ops by which workers and parameter servers meet. */
public final class ServerOps implements OpProvider {

    @Override
    public List<String> ops() {
        return List.of("Assemble", "GradientPush", "VersionWait", "_Piece=Piece");
    }
}
