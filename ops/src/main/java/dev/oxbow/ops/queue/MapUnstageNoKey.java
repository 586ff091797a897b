package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** Picks any complete tuple up, once there is one. */
@Signature(
        "MapUnstageNoKey(indices: int32) -> (key: int64, values: dtypes) {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record MapUnstageNoKey(long capacity, long memoryLimit, List<DType> dtypes, String container, String sharedName)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<TensorType> out = new ArrayList<>(List.of(new TensorType(DType.I64, Shape.SCALAR)));
        dtypes.forEach(d -> out.add(TensorType.of(d)));
        return out;
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public boolean waits() {
        return true;
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> StagingMap.of(c, container, sharedName, false, dtypes.size(), capacity, memoryLimit)
                .getAny(c, dtypes);
    }
}
