package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import java.util.ArrayList;
import java.util.List;

/** The inputs themselves. */
@Signature("IdentityN(input: T) -> (output: T) {T: list(type) >= 1}")
public record IdentityN() implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) types.add(c.input(i));
        return types;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            for (int i = 0; i < c.inputCount(); i++) c.forward(i, i);
        };
    }

    /** {@code dx = dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> dxs = new ArrayList<>();
        for (int i = 0; i < g.node().outputCount(); i++) dxs.add(g.hasGradient(i) ? g.gradient(i) : null);
        return dxs;
    }
}
