package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import java.util.List;

/** The reference, whose gradient a debugger wants to see: it finds the node by its name. */
@Signature("DebugGradientRefIdentity(input: ref T) -> (output: ref T) {T: type}")
public record DebugGradientRefIdentity() implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> c.forward(0, 0);
    }

    /** {@code dx = dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(g.gradient(0));
    }
}
