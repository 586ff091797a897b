package dev.oxbow.parallel.ops;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Lets a gate that has taken nothing yet go on from what {@link GateExport} gave of another. */
@Signature("GateImport(state: int64) -> () {gate: string; container: string = \"\"} stateful")
public record GateImport(String gate, String container) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(0);
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> GradientPush.of(c, container, gate).imported(c.input(0).longs());
    }
}
