package dev.oxbow.ops.math;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Elementwise arithmetic and reductions: the list of this package's ops. */
public final class MathOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of("AddV2", "Conj", "Mul", "Sum", "_ReducedShape=ReducedShape");
    }
}
