package dev.oxbow.collective.keyed;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Sends a value to all other devices of a group, and gives it. */
@Signature(
        "CollectiveBcastSendV2(input: T, group_size: int32, group_key: int32, instance_key: int32) -> (data: T) {T: type in [BOOL FLOAT HALF DOUBLE INT32 INT64]; communication_hint: string = \"auto\"; timeout_seconds: float = 0.0} stateful")
public record CollectiveBcastSendV2(String communicationHint, float timeoutSeconds) implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 1; i < 4; i++) c.scalar(i);
        return List.of(c.input(0).deref());
    }

    @Override
    public Kernel cpu() {
        return c -> KeyedCall.start(
                c,
                KeyedWork.broadcast(c.input(0).dtype(), c.input(0).shape(), true),
                KeyedOp.keys(c, 1),
                timeoutSeconds);
    }
}
