package dev.oxbow.collective.keyed;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Sends a value to all other devices of a group, and gives it. */
@Signature(
        "CollectiveBcastSend(input: T) -> (data: T) {T: type in [BOOL FLOAT HALF DOUBLE INT32 INT64]; group_size: int; group_key: int; instance_key: int; shape: shape; communication_hint: string = \"auto\"; timeout_seconds: float = 0.0} stateful")
public record CollectiveBcastSend(
        int groupSize, int groupKey, int instanceKey, Shape shape, String communicationHint, float timeoutSeconds)
        implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                shape.isCompatibleWith(c.shape(0)),
                INVALID_ARGUMENT,
                "its attribute shape is %s, and the shape of the input %s",
                shape,
                c.shape(0));
        return List.of(c.input(0).deref());
    }

    @Override
    public Kernel cpu() {
        return c -> KeyedCall.start(
                c,
                KeyedWork.broadcast(c.input(0).dtype(), c.input(0).shape(), true),
                new Keys(groupKey, groupSize, instanceKey, -1),
                timeoutSeconds);
    }
}
