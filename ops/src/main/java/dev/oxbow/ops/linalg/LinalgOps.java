package dev.oxbow.ops.linalg;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Matrices: the list of this package's ops. */
public final class LinalgOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of("MatMul");
    }
}
