package dev.oxbow.parallel.ops;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/**
 * Tells a gate that a worker has come, or that it is gone, so that those who wait for the slowest do not wait for it. Whoever
 * comes in the place of a worker has a higher {@code life}: what is said of an older one then is of the past. The next step of
 * one that comes is {@code first} or later.
 */
@Signature(
        "GateMembership(worker: int64, life: int64, first: int64) -> () {gate: string; container: string = \"\"; joins: bool = true} stateful")
public record GateMembership(String gate, String container, boolean joins) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        c.scalar(1);
        c.scalar(2);
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Gate g = GradientPush.of(c, container, gate);
            if (joins)
                g.join(c.input(0).getLong(0), c.input(1).getLong(0), c.input(2).getLong(0));
            else g.leave(c.input(0).getLong(0), c.input(1).getLong(0));
        };
    }
}
