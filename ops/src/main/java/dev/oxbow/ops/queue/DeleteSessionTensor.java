package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Lets go of the value that was kept under a name. */
@Signature("DeleteSessionTensor(handle: string) -> () stateful")
public record DeleteSessionTensor() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> SessionTensors.of(c).delete(new String((byte[]) c.input(0).objects()[0], StandardCharsets.UTF_8));
    }
}
