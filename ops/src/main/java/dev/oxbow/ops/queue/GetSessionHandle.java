package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Keeps a value on the device; its name as a string. */
@Signature("GetSessionHandle(value: T) -> (handle: string) {T: type} stateful")
public record GetSessionHandle() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.STRING, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).objects()[0] =
                SessionTensors.of(c).keep(c.node(), c.device(), c.keep(0)).getBytes(StandardCharsets.UTF_8);
    }
}
