package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Stateful.Giving;
import java.util.List;

/** Writes the rows of a value. */
@Signature("TensorArrayUnpack(handle: ref string, value: T, flow_in: float) -> (flow_out: float) {T: type}")
public record TensorArrayUnpack() implements Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorArrays.FLOW);
    }

    @Override
    public Kernel cpu() {
        return c -> TensorArrays.scatter(c, TensorArrays.unpacked(c), 1);
    }
}
