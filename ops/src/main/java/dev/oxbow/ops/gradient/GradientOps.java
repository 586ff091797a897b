package dev.oxbow.ops.gradient;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** The list of this package's ops. */
public final class GradientOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of("SymbolicGradient");
    }
}
