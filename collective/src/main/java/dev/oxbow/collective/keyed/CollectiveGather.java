package dev.oxbow.collective.keyed;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The rows of all devices of a group one after the other, on each of them. */
@Signature(
        "CollectiveGather(input: T) -> (data: T) {T: type in [FLOAT HALF DOUBLE INT32 INT64]; group_size: int; group_key: int; instance_key: int; shape: shape; communication_hint: string = \"auto\"; timeout_seconds: float = 0.0} stateful")
public record CollectiveGather(
        int groupSize, int groupKey, int instanceKey, Shape shape, String communicationHint, float timeoutSeconds)
        implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(KeyedOp.rows(c).withShape(shape));
    }

    @Override
    public Kernel cpu() {
        return c -> KeyedCall.start(
                c,
                KeyedWork.of(KeyedWork.Kind.GATHER, c.input(0)),
                new Keys(groupKey, groupSize, instanceKey, -1),
                timeoutSeconds);
    }
}
