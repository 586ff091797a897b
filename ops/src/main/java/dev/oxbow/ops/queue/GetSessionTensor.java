package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The value that was kept under a name. */
@Signature("GetSessionTensor(handle: string) -> (value: dtype) {dtype: type} stateful")
public record GetSessionTensor(DType dtype) implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        return List.of(TensorType.of(dtype));
    }

    @Override
    public Kernel cpu() {
        return c -> c.set(
                0, SessionTensors.of(c).get(new String((byte[]) c.input(0).objects()[0], StandardCharsets.UTF_8)));
    }
}
