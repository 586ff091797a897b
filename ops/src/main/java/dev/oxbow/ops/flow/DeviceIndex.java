package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Which of some types of devices it runs on, such as CPU; their number where it is none of them. */
@Signature("DeviceIndex() -> (index: int32) {device_names: list(string)} stateful")
public record DeviceIndex(List<String> deviceNames) implements NotDifferentiable, Asking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I32, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String name = c.device(), type = name.substring(name.indexOf("/device:") + 8);
            int i = deviceNames.indexOf(type.substring(0, type.indexOf(':')));
            c.output(0).setLong(0, i < 0 ? deviceNames.size() : i);
        };
    }
}
