package dev.oxbow.ops.flow;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Writes one element. */
@Signature("TensorArrayWriteV2(handle: string, index: int32, value: T, flow_in: float) -> (flow_out: float) {T: type}")
public record TensorArrayWriteV2() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorArrays.FLOW);
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return TensorArrays::write;
    }
}
