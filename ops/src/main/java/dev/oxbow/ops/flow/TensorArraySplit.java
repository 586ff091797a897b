package dev.oxbow.ops.flow;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Writes consecutive parts of a value. */
@Signature(
        "TensorArraySplit(handle: ref string, value: T, lengths: int64, flow_in: float) -> (flow_out: float) {T: type}")
public record TensorArraySplit() implements Op {

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
        return TensorArrays::split;
    }
}
