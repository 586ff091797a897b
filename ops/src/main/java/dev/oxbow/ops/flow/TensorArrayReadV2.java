package dev.oxbow.ops.flow;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Reads one element. */
@Signature("TensorArrayReadV2(handle: string, index: int32, flow_in: float) -> (value: dtype) {dtype: type}")
public record TensorArrayReadV2(DType dtype) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(dtype));
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
        return c -> TensorArrays.read(c, dtype);
    }
}
