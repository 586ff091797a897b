package dev.oxbow.collective.keyed;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gets the value that one device of the group sends. */
@Signature(
        "CollectiveBcastRecv() -> (data: T) {T: type in [BOOL FLOAT HALF DOUBLE INT32 INT64]; group_size: int; group_key: int; instance_key: int; shape: shape; communication_hint: string = \"auto\"; timeout_seconds: float = 0.0} stateful")
public record CollectiveBcastRecv(
        @Attr("T") DType t,
        int groupSize,
        int groupKey,
        int instanceKey,
        Shape shape,
        String communicationHint,
        float timeoutSeconds)
        implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(t, shape));
    }

    @Override
    public Kernel cpu() {
        return c -> KeyedCall.start(
                c,
                KeyedWork.broadcast(t, shape, false),
                new Keys(groupKey, groupSize, instanceKey, -1),
                timeoutSeconds);
    }
}
