package dev.oxbow.ops.array;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Shapes, slices, joins, gathers and scatters: the list of this package's ops. */
public final class ArrayOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of("BroadcastGradientArgs", "BroadcastTo", "Range", "Rank", "Reshape", "Shape");
    }
}
