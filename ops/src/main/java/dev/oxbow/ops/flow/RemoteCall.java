package dev.oxbow.ops.flow;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Calls function {@code f} on the device that a string names; all devices of a process are one here. */
@Signature(
        "RemoteCall(target: string, args: Tin) -> (output: Tout) {Tin: list(type) >= 1; Tout: list(type) >= 1; f: func} stateful")
public record RemoteCall(@Attr("Tout") List<DType> outputs, FunctionRef f) implements Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<TensorType> types = new ArrayList<>();
        for (DType t : outputs) types.add(TensorType.of(t));
        return types;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            List<Tensor> arguments = new ArrayList<>();
            for (int i = 1; i < c.inputCount(); i++) arguments.add(c.input(i));
            FunctionLoop.call(c, f, arguments);
        };
    }
}
