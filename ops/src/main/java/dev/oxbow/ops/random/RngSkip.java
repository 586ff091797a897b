package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Moves the generator in a variable on, as drawing delta numbers does. */
@Signature("RngSkip(resource: resource, algorithm: int64, delta: int64) -> () stateful")
public record RngSkip() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        c.scalar(2);
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Randoms.requirePhilox(c.input(1).getLong(0));
            Randoms.advance(c, c.input(2).getLong(0));
        };
    }
}
