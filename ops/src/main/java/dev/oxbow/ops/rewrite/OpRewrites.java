package dev.oxbow.ops.rewrite;

import dev.oxbow.graph.OpProvider;
import dev.oxbow.graph.Rewrite;
import java.util.List;

/** The list of this package's stages, in order. */
public final class OpRewrites implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of();
    }

    @Override
    public List<Rewrite> rewrites() {
        return List.of(
                new Simplify(),
                new TurnSmaller(),
                new JoinProducts(),
                new SpreadLast(),
                new PoolFirst(),
                new Shadows());
    }
}
